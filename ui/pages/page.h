// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace yardmaster::control {
class WorkerControl;
}
namespace yardmaster::models {
class EventModel;
class JobModel;
class MetricsHistory;
class TimeCursor;
class WorkerTableModel;
} // namespace yardmaster::models

namespace yardmaster::ui {

class AttentionList;
class CommandRegistry;
class WorkerActions;

/// What every page is given; owned by the main window's maker (app/console), outlives the pages.
struct PageContext {
    control::WorkerControl* workers = nullptr;
    models::WorkerTableModel* workerTable = nullptr;
    models::EventModel* events = nullptr;
    models::JobModel* jobs = nullptr;
    models::MetricsHistory* history = nullptr;
    models::TimeCursor* time = nullptr;
    CommandRegistry* commands = nullptr;
    WorkerActions* actions = nullptr;
    AttentionList* attention = nullptr;
    std::function<void(const QString& pageId)> openPage;
};

/// A page of the console: made on first use, told when it is shown so that a hidden one does no work.
class Page : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    virtual void setActive(bool active) = 0;
    /// The field Ctrl+F and / go to; null when the page has none.
    [[nodiscard]] virtual QWidget* filterField() { return nullptr; }
};

struct PageFactory {
    QString id; ///< "workers"
    QString title;
    QString iconName; ///< resources/icons/<name>.svg
    std::function<Page*(const PageContext&, QWidget* parent)> create;
};

/// In the order of the rail. The one list a new page is added to.
[[nodiscard]] const std::vector<PageFactory>& pageFactories();

} // namespace yardmaster::ui
