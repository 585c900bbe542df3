// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>

namespace yardmaster::models {
class EventModel;
}

namespace yardmaster::ui {

/// Events, newest first: clock, glyph, text, who did it.
class EventListView final : public QListView {
    Q_OBJECT
public:
    explicit EventListView(models::EventModel* model, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace yardmaster::ui
