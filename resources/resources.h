// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace yardmaster::resources {

/// Makes ":/icons/..." known. To be called before the first use, because the linker leaves out what nothing
/// in a static library refers to; calls after the first do nothing.
void load();

} // namespace yardmaster::resources
