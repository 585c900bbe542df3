// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"
#include "ui/theme/style.h"

#include <QWidget>

#include <map>
#include <memory>
#include <optional>

class QMenu;
class QStackedWidget;
class QTimer;

namespace yardmaster::ui {

class ConsoleSession;
class HeaderBar;
class JobStrip;
class Rail;

/// The console's window: rail, header, pages, job strip. Builds all commands; pages are made on first use.
class MainWindow final : public QWidget {
    Q_OBJECT
public:
    /// `control` outlives the window; who made it starts it.
    explicit MainWindow(control::WorkerControl* control, bool readOnly = false, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] ConsoleSession* session() const { return m_session.get(); }
    [[nodiscard]] CommandRegistry* commands() const;
    [[nodiscard]] WorkerActions* actions() const { return m_context.actions; }
    [[nodiscard]] HeaderBar* header() const { return m_header; }
    [[nodiscard]] JobStrip* jobStrip() const { return m_strip; }
    void openPage(const QString& id);
    [[nodiscard]] QString currentPageId() const { return m_currentPage; }
    /// Null when it was not opened yet.
    [[nodiscard]] Page* page(const QString& id) const;
    void openPalette();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void addViewCommands();
    void addRangeCommands();
    void addThemeCommands();
    void buildMenu();
    void layOut();
    void refresh();
    void updateRail();
    void updateTitle();
    void focusFilter();
    void openRangeDialog();
    void openShortcuts();
    [[nodiscard]] YardmasterStyle* appStyle() const;

    std::unique_ptr<ConsoleSession> m_session;
    PageContext m_context;
    QMenu* m_menu;
    Rail* m_rail;
    HeaderBar* m_header = nullptr;
    QWidget* m_productionBar;
    QStackedWidget* m_stack;
    JobStrip* m_strip = nullptr;
    QTimer* m_textTimer;
    std::map<QString, Page*> m_pages;
    QString m_currentPage;
    std::optional<bool> m_compactWanted;
    bool m_altAlone = false;
};

} // namespace yardmaster::ui
