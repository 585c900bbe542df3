// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/resources.h"

#include <QtGlobal>

// The macro declares a function and must stand outside any namespace.
static void initIcons() {
    Q_INIT_RESOURCE(icons);
}

namespace yardmaster::resources {

void load() {
    static const bool isLoaded = [] {
        initIcons();
        return true;
    }();
    Q_UNUSED(isLoaded)
}

} // namespace yardmaster::resources
