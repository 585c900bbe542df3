// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/segment_switch.h"

#include "ui/theme/controls.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

namespace yardmaster::ui {

SegmentSwitch::SegmentSwitch(const QString& name, const QStringList& choices, QWidget* parent)
    : QWidget(parent)
    , m_group(new QButtonGroup(this)) {
    setAccessibleName(name);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (int i = 0; i < choices.size(); ++i) {
        auto* button = new QPushButton(choices[i], this);
        button->setCheckable(true);
        button->setAutoDefault(false);
        button->setAccessibleName(name + QStringLiteral(": ") + choices[i]);
        setButtonKind(*button, ButtonKind::Segment);
        setControlSize(*button, ControlSize::Panel);
        button->setProperty("segment",
            QString((i == 0 ? QStringLiteral("f") : QString())
                + (i == choices.size() - 1 ? QStringLiteral("l") : QString())));
        m_group->addButton(button, i);
        layout->addWidget(button);
    }
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentSwitch::chosen);
}

void SegmentSwitch::setCurrent(int index) {
    if (QAbstractButton* button = m_group->button(index))
        button->setChecked(true);
}

int SegmentSwitch::current() const {
    return m_group->checkedId();
}

} // namespace yardmaster::ui
