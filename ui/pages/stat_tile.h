// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/sparkline.h"

#include <QFrame>

namespace yardmaster::ui {

class TextLabel;

/// A number one reads across the room, with its unit, a note and a sparkline.
class StatTile final : public QFrame {
    Q_OBJECT
public:
    StatTile(const QString& name, const QString& unit, QWidget* parent = nullptr);

    void setValue(const QString& value, const QString& note);
    void setSeries(std::vector<Sparkline::Series> series);
    void setStale(bool stale);
    [[nodiscard]] QString value() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextLabel* m_name;
    TextLabel* m_note;
    TextLabel* m_value;
    TextLabel* m_unit;
    Sparkline* m_spark;
};

} // namespace yardmaster::ui
