// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention_panel.h"

#include "ui/dialogs/worker_actions.h"
#include "ui/pages/attention.h"
#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/panel.h"
#include "ui/theme/tag.h"
#include "ui/theme/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace yardmaster::ui {

namespace {

class Line final : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(QRect(0, 0, width(), 1), themeOf(this).color(ColorRole::Border));
    }
};

} // namespace

AttentionPanel::AttentionPanel(const PageContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_panel(new Panel(tr("Needs attention"), this))
    , m_tag(new Tag({}, ColorRole::WarnBg, ColorRole::Warn, m_panel)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
    m_panel->addTitleWidget(m_tag);
    connect(context.attention, &AttentionList::changed, this, &AttentionPanel::refresh);
    refresh();
}

void AttentionPanel::refresh() {
    const auto& items = m_context.attention->items();
    const int count = static_cast<int>(items.size());
    m_tag->setVisible(count > 0);
    const bool grave = std::any_of(
        items.begin(), items.end(), [](const AttentionItem& item) { return item.glyph == Glyph::Crashed; });
    m_tag->setText(grave ? format::counted(count, tr("1 problem"), tr("%1 problems"))
                         : format::counted(count, tr("1 warning"), tr("%1 warnings")));
    m_tag->setColors(grave ? ColorRole::BadBg : ColorRole::WarnBg, grave ? ColorRole::Bad : ColorRole::Warn);

    m_isWaiting = m_context.workers->latest() == nullptr;
    if (m_lines != nullptr) {
        // Not at once: the click that led here may still be on its way through one of its buttons.
        m_lines->hide();
        m_lines->deleteLater();
    }
    m_lines = new QWidget(m_panel);
    auto* rows = new QVBoxLayout(m_lines);
    rows->setContentsMargins(1, 0, 1, 2);
    rows->setSpacing(0);
    const auto addRow = [this, rows](Glyph glyph, const QString& text, const QString& since,
                            std::optional<std::uint32_t> workerId) {
        auto* line = new Line(m_lines);
        line->setFixedHeight(scaled(28));
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(scaled(11), 1, scaled(6), 0);
        row->setSpacing(scaled(10));
        row->addWidget(new GlyphLabel(glyph, line));
        auto* label = new TextLabel(text, TextStyle::Body, ColorRole::Text, line);
        label->setElided(true);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        row->addWidget(label, 1);
        if (!since.isEmpty())
            row->addWidget(new TextLabel(since, TextStyle::SubTitle, ColorRole::Muted, line));
        if (workerId) {
            auto* show = new QPushButton(tr("Show"), line);
            show->setAccessibleName(tr("Show: %1").arg(text));
            setButtonKind(*show, ButtonKind::Link);
            setControlSize(*show, ControlSize::Panel);
            connect(show, &QPushButton::clicked, this, [this, id = *workerId] {
                m_context.actions->setSelectedWorker(id);
                m_context.openPage(QStringLiteral("workers"));
            });
            row->addWidget(show);
        }
        rows->addWidget(line);
    };
    m_lineCount = 0;
    for (const AttentionItem& item : items) {
        if (m_lineCount == mostLines) {
            addRow(Glyph::None, tr("and %1 more").arg(count - mostLines), {}, {});
            break;
        }
        addRow(item.glyph, item.text,
            item.sinceUnixNs > 0 ? tr("since %1").arg(format::clock(item.sinceUnixNs)) : QString(),
            item.workerId);
        ++m_lineCount;
    }
    if (items.empty())
        addRow(m_isWaiting ? Glyph::Running : Glyph::Done,
            m_isWaiting ? tr("Waiting for the first report of the target.") : tr("Nothing needs attention."),
            {}, {});
    m_panel->bodyLayout()->addWidget(m_lines);
    m_lines->show();
}

} // namespace yardmaster::ui
