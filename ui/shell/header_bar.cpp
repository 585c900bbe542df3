// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/header_bar.h"

#include "ui/commands/command_button.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/shell/console_session.h"
#include "ui/shell/header_parts.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/tag.h"
#include "ui/theme/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QToolButton>

namespace yardmaster::ui {

namespace {

constexpr std::int64_t minuteNs = 60LL * 1'000'000'000;

} // namespace

HeaderBar::HeaderBar(ConsoleSession* session, QMenu* menu, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_menu(menu)
    , m_menuButton(makeIconButton(QStringLiteral("menu"), tr("Menu (F10)"), this))
    , m_target(new TargetBox(this))
    , m_production(Tag::production(this))
    , m_readOnly(new Tag(tr("Read-only"), ColorRole::InfoBg, ColorRole::Info, this))
    , m_linkGlyph(new GlyphLabel(Glyph::Running, this))
    , m_link(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this))
    , m_palette(new PaletteButton(this))
    , m_range(new QWidget(this))
    , m_live(new LiveChip(this))
    , m_resume(new QPushButton(tr("Resume"), this)) {
    setFixedHeight(scaled(52));
    m_menuButton->setObjectName(QStringLiteral("menu-button"));
    setControlSize(*m_menuButton, ControlSize::Page);
    m_menuButton->setFixedWidth(scaled(28));
    makeRange();
    setButtonKind(*m_resume, ButtonKind::Primary);
    setControlSize(*m_resume, ControlSize::Page);
    m_resume->setIcon(themedIcon(QStringLiteral("play"), ColorRole::OnAccent));
    m_resume->setObjectName(QStringLiteral("resume"));
    m_readOnly->setVisible(session->isReadOnly());
    m_link->setElided(true);
    m_link->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_link->setObjectName(QStringLiteral("link-state"));

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(scaled(14), 0, scaled(16), 0);
    layout->setSpacing(scaled(10));
    layout->addWidget(m_menuButton);
    layout->addWidget(m_target, 2);
    layout->addWidget(m_production);
    layout->addWidget(m_readOnly);
    layout->addWidget(m_linkGlyph);
    layout->addWidget(m_link, 3);
    layout->addWidget(m_palette, 1);
    layout->addWidget(m_range);
    layout->addWidget(m_live);
    layout->addWidget(m_resume);

    connect(m_menuButton, &QToolButton::clicked, this, &HeaderBar::openMenu);
    connect(m_target, &QAbstractButton::clicked, this, &HeaderBar::openTargetMenu);
    bindButton(*m_palette, *session->commands(), QStringLiteral("view.palette"));
    bindButton(*m_live, *session->commands(), QStringLiteral("view.pause"));
    connect(m_resume, &QPushButton::clicked, session->time(), [this] { m_session->time()->setLive(true); });
    connect(session->time(), &models::TimeCursor::liveChanged, this, &HeaderBar::refresh);
    connect(session->time(), &models::TimeCursor::spanChanged, this, &HeaderBar::updateRange);
    connect(session, &ConsoleSession::stateChanged, this, &HeaderBar::refresh);
    updateRange();
    refresh();
}

void HeaderBar::makeRange() {
    struct Range {
        QString command, text;
        std::int64_t lengthNs;
    };
    const std::vector<Range> ranges{{QStringLiteral("view.range.1m"), tr("1 m"), minuteNs},
        {QStringLiteral("view.range.5m"), tr("5 m"), 5 * minuteNs},
        {QStringLiteral("view.range.15m"), tr("15 m"), 15 * minuteNs},
        {QStringLiteral("view.range.1h"), tr("1 h"), 60 * minuteNs},
        {QStringLiteral("view.range.custom"), tr("Custom…"), 0}};
    auto* layout = new QHBoxLayout(m_range);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_range->setAccessibleName(tr("Time range"));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        auto* button = new QPushButton(ranges[i].text, m_range);
        button->setCheckable(true);
        setButtonKind(*button, ButtonKind::Segment);
        setControlSize(*button, ControlSize::Page);
        const bool first = i == 0, last = i == ranges.size() - 1;
        button->setProperty("segment", first ? QStringLiteral("f") : last ? QStringLiteral("l") : QString());
        bindButton(*button, *m_session->commands(), ranges[i].command);
        // What is checked follows the range, not the click.
        connect(button, &QPushButton::clicked, this, &HeaderBar::updateRange);
        layout->addWidget(button);
        m_rangeButtons.emplace_back(ranges[i].lengthNs, button);
    }
}

void HeaderBar::updateRange() {
    const models::TimeSpan span = m_session->time()->span();
    const std::int64_t lengthNs = span.toNs - span.fromNs;
    bool known = false;
    for (const auto& [rangeNs, button] : m_rangeButtons) {
        const bool isShown = rangeNs == 0 ? !known : rangeNs == lengthNs;
        known = known || isShown;
        if (button->isChecked() != isShown)
            button->setChecked(isShown);
    }
    updateLive();
}

void HeaderBar::updateLive() {
    const bool live = m_session->time()->isLive();
    static_cast<LiveChip*>(m_live)->setState(live, m_session->time()->missedSamples());
    m_resume->setVisible(!live);
}

QString HeaderBar::linkText() const {
    return m_link->text();
}

void HeaderBar::refresh() {
    const control::SnapshotPtr snapshot = m_session->latest();
    if (snapshot != nullptr)
        m_target->setTarget(snapshot->target.name, targetSystemText(snapshot->target));
    else
        m_target->setTarget(tr("No target yet"), {});
    m_production->setVisible(snapshot != nullptr && snapshot->target.production);
    const control::Link link = m_session->link();
    m_linkGlyph->setGlyph(link.state == control::LinkState::Connected ? Glyph::Serving
            : link.state == control::LinkState::Lost                  ? Glyph::Unknown
                                                                      : Glyph::Running);
    m_link->setRole(link.state == control::LinkState::Lost ? ColorRole::Bad : ColorRole::Text);
    m_link->setText(m_session->linkText());
    setToolTip(link.state == control::LinkState::Lost ? link.reason : QString());
    updateLive();
}

void HeaderBar::openMenu() {
    m_menu->popup(m_menuButton->mapToGlobal(QPoint(0, m_menuButton->height() + 2)));
    m_menu->setFocus();
}

void HeaderBar::openTargetMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const control::SnapshotPtr snapshot = m_session->latest();
    const QString endpoint = snapshot != nullptr ? snapshot->target.endpoint : QString();
    menu->addAction(endpoint.isEmpty() ? tr("Not connected") : endpoint)->setEnabled(false);
    if (!endpoint.isEmpty()) {
        connect(menu->addAction(tr("Copy the endpoint")), &QAction::triggered, this,
            [endpoint] { QGuiApplication::clipboard()->setText(endpoint); });
    }
    menu->popup(m_target->mapToGlobal(QPoint(0, m_target->height() + 2)));
}

void HeaderBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_palette->setVisible(event->size().width() >= scaled(800));
}

void HeaderBar::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(ColorRole::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.color(ColorRole::Border));
}

} // namespace yardmaster::ui
