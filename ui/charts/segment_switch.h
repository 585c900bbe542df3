// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace yardmaster::ui {

/// A few choices in one frame, one of them on.
class SegmentSwitch final : public QWidget {
    Q_OBJECT
public:
    SegmentSwitch(const QString& name, const QStringList& choices, QWidget* parent);

    void setCurrent(int index);
    [[nodiscard]] int current() const;

signals:
    void chosen(int index); ///< by the user

private:
    QButtonGroup* m_group;
};

} // namespace yardmaster::ui
