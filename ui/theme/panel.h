// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QHBoxLayout;
class QVBoxLayout;

namespace yardmaster::ui {

class TextLabel;

/// The box everything on a page stands in: 1 px border, radius 6, a head of 36 px with title, sub-title and
/// room for actions at the right, then the body.
class Panel final : public QFrame {
    Q_OBJECT
public:
    explicit Panel(const QString& title = {}, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    void setSubTitle(const QString& text);
    [[nodiscard]] QString subTitle() const;
    /// At the right end of the head, in the order of the calls.
    void addHeadWidget(QWidget* widget);
    /// Beside the title, before the sub-title (a tag, a count).
    void addTitleWidget(QWidget* widget);
    /// Replaces title and sub-title by a widget of one's own (a filter field and a summary).
    void setHeadWidget(QWidget* widget);
    void setHeadVisible(bool visible);
    /// A line under the head, for bodies that begin with a table.
    void setHeadLine(bool line);

    /// No margins and no spacing: tables go to the edge, others set margins themselves (12).
    [[nodiscard]] QVBoxLayout* bodyLayout() const { return m_body; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* m_head;
    QHBoxLayout* m_titleLayout;
    QHBoxLayout* m_actionLayout;
    TextLabel* m_title;
    TextLabel* m_subTitle;
    QVBoxLayout* m_body;
    bool m_headLine = false;
};

} // namespace yardmaster::ui
