// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/latency_page.h"
#include "ui/pages/overview_page.h"
#include "ui/pages/page.h"
#include "ui/pages/workers_page.h"

#include <QCoreApplication>

namespace yardmaster::ui {

namespace {

template <typename PageType>
Page* create(const PageContext& context, QWidget* parent) {
    return new PageType(context, parent);
}

QString title(const char* text) {
    return QCoreApplication::translate("Pages", text);
}

} // namespace

const std::vector<PageFactory>& pageFactories() {
    static const std::vector<PageFactory> factories{
        {QStringLiteral("overview"), title("Overview"), QStringLiteral("overview"), create<OverviewPage>},
        {QStringLiteral("workers"), title("Workers"), QStringLiteral("workers"), create<WorkersPage>},
        {QStringLiteral("latency"), title("Latency"), QStringLiteral("latency"), create<LatencyPage>},
    };
    return factories;
}

} // namespace yardmaster::ui
