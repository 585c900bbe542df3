// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/time_cursor.h"
#include "ui/dialogs/overlay_dialog.h"

#include <optional>

class QDateTimeEdit;
class QPushButton;

namespace yardmaster::ui {

class TextLabel;

/// From and to for all charts; the charts pause on it.
class RangeDialog final : public OverlayDialog {
    Q_OBJECT
public:
    RangeDialog(models::TimeCursor* time, std::optional<models::TimeSpan> recorded, QWidget* owner);

    [[nodiscard]] models::TimeSpan span() const;

private:
    void check();

    std::optional<models::TimeSpan> m_recorded;
    QDateTimeEdit* m_from;
    QDateTimeEdit* m_to;
    TextLabel* m_message;
    QPushButton* m_show;
};

} // namespace yardmaster::ui
