// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/range_dialog.h"

#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/text_label.h"

#include <QDateTimeEdit>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace yardmaster::ui {

namespace {

QDateTime toDateTime(std::int64_t unixNs) {
    return QDateTime::fromMSecsSinceEpoch(unixNs / 1'000'000);
}

std::int64_t toNs(const QDateTime& time) {
    return time.toMSecsSinceEpoch() * 1'000'000;
}

} // namespace

RangeDialog::RangeDialog(models::TimeCursor* time, std::optional<models::TimeSpan> recorded, QWidget* owner)
    : OverlayDialog(owner)
    , m_recorded(recorded)
    , m_from(new QDateTimeEdit(this))
    , m_to(new QDateTimeEdit(this))
    , m_message(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_show(new QPushButton(tr("Show the range"), this)) {
    setObjectName(QStringLiteral("range-dialog"));
    setAccessibleName(tr("Custom time range"));
    setFixedWidth(scaled(420));
    const models::TimeSpan shown = time->span();
    for (QDateTimeEdit* field : {m_from, m_to}) {
        field->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
        setControlSize(*field, ControlSize::Dialog);
        connect(field, &QDateTimeEdit::dateTimeChanged, this, &RangeDialog::check);
    }
    m_from->setAccessibleName(tr("From"));
    m_to->setAccessibleName(tr("To"));
    m_from->setDateTime(toDateTime(shown.fromNs));
    m_to->setDateTime(toDateTime(shown.toNs));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(24), scaled(20), scaled(24), scaled(20));
    layout->setSpacing(scaled(12));
    layout->addWidget(new TextLabel(tr("Show which time?"), TextStyle::PageTitle, ColorRole::Text, this));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(scaled(16));
    form->setVerticalSpacing(scaled(10));
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(new TextLabel(tr("From"), TextStyle::Body, ColorRole::Text, this), m_from);
    form->addRow(new TextLabel(tr("To"), TextStyle::Body, ColorRole::Text, this), m_to);
    layout->addLayout(form);
    m_message->setWordWrap(true);
    layout->addWidget(m_message);
    auto* foot = new QHBoxLayout;
    foot->addStretch(1);
    foot->setSpacing(scaled(12));
    auto* cancel = new QPushButton(tr("Cancel"), this);
    for (QPushButton* button : {cancel, m_show}) {
        setControlSize(*button, ControlSize::Dialog);
        foot->addWidget(button);
    }
    setButtonKind(*m_show, ButtonKind::Primary);
    m_show->setDefault(true);
    layout->addLayout(foot);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_show, &QPushButton::clicked, this, &QDialog::accept);
    connect(this, &QDialog::accepted, time, [this, time] { time->setSpan(span()); });
    m_from->setFocus();
    check();
}

models::TimeSpan RangeDialog::span() const {
    return {toNs(m_from->dateTime()), toNs(m_to->dateTime())};
}

void RangeDialog::check() {
    const models::TimeSpan wanted = span();
    const bool isOrdered = wanted.fromNs < wanted.toNs;
    m_show->setEnabled(isOrdered);
    m_message->setRole(isOrdered ? ColorRole::Muted : ColorRole::Bad);
    if (!isOrdered)
        m_message->setText(tr("From must be before To."));
    else if (m_recorded)
        m_message->setText(tr("Recorded from %1 to %2. The charts pause on the range.")
                               .arg(format::clock(m_recorded->fromNs), format::clock(m_recorded->toNs)));
    else
        m_message->setText(tr("Nothing is recorded yet. The charts pause on the range."));
}

} // namespace yardmaster::ui
