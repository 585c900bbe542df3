// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job_steps_view.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/pages/error_strip.h"
#include "ui/theme/format.h"
#include "ui/theme/text_label.h"

#include <QHBoxLayout>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace yardmaster::ui {

using control::Job;
using control::JobState;
using control::JobStep;
using control::StepState;

namespace {

enum StepRole : int {
    NameRole = Qt::UserRole + 1,
    DetailRole,
    StateRole,
    TimeRole,
    DurationRole,
    UnknownRole
};

QString stateWord(StepState state) {
    switch (state) {
    case StepState::Waiting:
        return JobStepsView::tr("waiting");
    case StepState::Running:
        return JobStepsView::tr("running");
    case StepState::Done:
        return JobStepsView::tr("done");
    case StepState::Failed:
        return JobStepsView::tr("failed");
    case StepState::Skipped:
        return JobStepsView::tr("skipped");
    }
    return {};
}

class StepDelegate final : public QStyledItemDelegate {
public:
    StepDelegate(bool compact, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_compact(compact) { }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {scaled(200), scaled(m_compact ? 24 : 44)};
    }

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = themeOf(option.widget);
        const auto state = static_cast<StepState>(index.data(StateRole).toInt());
        const bool isUnknown = index.data(UnknownRole).toBool();
        const bool isRunning = state == StepState::Running;
        painter->save();
        if (isRunning && !m_compact)
            painter->fillRect(option.rect, theme.color(ColorRole::Alt));
        const QRect row = option.rect.adjusted(scaled(12), 0, -scaled(12), 0);
        const int lineHeight = scaled(m_compact ? 24 : 18);
        const QRect first(row.left(), row.top() + (m_compact ? 0 : scaled(5)), row.width(), lineHeight);
        const QRect second(row.left(), first.bottom() + 1, row.width(), scaled(16));
        drawGlyph(*painter, QRectF(first.left(), first.top(), scaled(12), first.height()),
            isRunning && isUnknown ? Glyph::Unknown : stepGlyph(state), theme);

        const QColor muted = theme.color(ColorRole::Muted);
        const QString time =
            m_compact ? index.data(DurationRole).toString() : index.data(TimeRole).toString();
        painter->setFont(m_compact ? numberFontFor(TextStyle::SubTitle) : fontFor(TextStyle::Mono));
        painter->setPen(m_compact ? muted : theme.color(ColorRole::Text));
        const int timeWidth = painter->fontMetrics().horizontalAdvance(time);
        painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, time);

        painter->setFont(fontFor(isRunning ? TextStyle::Running : TextStyle::Body));
        painter->setPen(state == StepState::Waiting || state == StepState::Skipped
                ? muted
                : theme.color(ColorRole::Text));
        const QRect nameRect = first.adjusted(scaled(22), 0, -(timeWidth + scaled(8)), 0);
        painter->drawText(nameRect, Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(
                index.data(NameRole).toString(), Qt::ElideRight, nameRect.width()));
        if (!m_compact) {
            painter->setFont(numberFontFor(TextStyle::Caption));
            painter->setPen(muted);
            const QString duration = index.data(DurationRole).toString();
            const int durationWidth = painter->fontMetrics().horizontalAdvance(duration);
            painter->drawText(second, Qt::AlignRight | Qt::AlignVCenter, duration);
            const QRect detail = second.adjusted(scaled(22), 0, -(durationWidth + scaled(8)), 0);
            painter->drawText(detail, Qt::AlignLeft | Qt::AlignVCenter,
                painter->fontMetrics().elidedText(
                    index.data(DetailRole).toString(), Qt::ElideRight, detail.width()));
        }
        painter->restore();
    }

private:
    bool m_compact;
};

class FootLine final : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(QRect(0, 0, width(), 1), themeOf(this).color(ColorRole::Border));
    }
};

QString durationOf(const JobStep& step) {
    if (step.durationNs)
        return format::duration(static_cast<double>(*step.durationNs) / 1e9);
    if (step.state == StepState::Running && step.startedUnixNs)
        return format::duration(static_cast<double>(nowUnixNs() - *step.startedUnixNs) / 1e9);
    return {};
}

} // namespace

JobStepsView::JobStepsView(bool compact, QWidget* parent)
    : QWidget(parent)
    , m_compact(compact)
    , m_model(new QStandardItemModel(this))
    , m_list(new QListView(this))
    , m_error(new ErrorStrip(this))
    , m_foot(new FootLine(this)) {
    m_list->setModel(m_model);
    m_list->setItemDelegate(new StepDelegate(compact, m_list));
    m_list->setSelectionMode(QAbstractItemView::NoSelection);
    m_list->setFocusPolicy(compact ? Qt::NoFocus : Qt::TabFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setAccessibleName(tr("Steps"));
    m_list->setMinimumHeight(scaled(48));
    m_error->hide();
    connect(m_error, &ErrorStrip::retryWanted, this, &JobStepsView::retryWanted);

    auto* foot = new QHBoxLayout(m_foot);
    foot->setContentsMargins(scaled(12), scaled(8), scaled(12), scaled(8));
    foot->setSpacing(scaled(compact ? 16 : 20));
    for (int i = 0; i < 5; ++i) {
        auto* caption = new TextLabel({}, TextStyle::Caption, ColorRole::Muted, m_foot);
        auto* number = new TextLabel({}, TextStyle::BodyStrong, ColorRole::Text, m_foot);
        QBoxLayout* figure = nullptr;
        if (compact)
            figure = new QHBoxLayout;
        else
            figure = new QVBoxLayout;
        figure->setSpacing(compact ? scaled(4) : 0);
        figure->addWidget(caption);
        figure->addWidget(number);
        foot->addLayout(figure);
        m_figures.emplace_back(caption, number);
    }
    foot->addStretch(1);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_list, 1);
    auto* errorRow = new QHBoxLayout;
    errorRow->setContentsMargins(scaled(12), 0, scaled(12), 0);
    errorRow->addWidget(m_error);
    layout->addLayout(errorRow);
    layout->addSpacing(scaled(8));
    layout->addWidget(m_foot);
}

void JobStepsView::setJob(const std::optional<Job>& job) {
    const bool isSame = m_job && job && *m_job == *job;
    m_job = job;
    // Running times go on although the job did not change.
    if (!isSame || (job && job->state == JobState::Running))
        updateSteps();
    if (isSame)
        return;
    const bool failed = job && job->error.has_value();
    m_error->setVisible(failed);
    if (failed)
        m_error->setError(*job->error);
    updateFoot();
}

void JobStepsView::updateSteps() {
    const int count = m_job ? static_cast<int>(m_job->steps.size()) : 0;
    m_model->setRowCount(count);
    if (m_model->columnCount() == 0)
        m_model->setColumnCount(1);
    int current = -1;
    for (int row = 0; row < count; ++row) {
        const JobStep& step = m_job->steps[static_cast<std::size_t>(row)];
        QStandardItem* item = m_model->item(row);
        if (item == nullptr) {
            item = new QStandardItem;
            item->setEditable(false);
            m_model->setItem(row, item);
        }
        const auto set = [item](const QVariant& value, int role) {
            if (item->data(role) != value)
                item->setData(value, role);
        };
        set(step.name, NameRole);
        set(step.detail, DetailRole);
        set(static_cast<int>(step.state), StateRole);
        set(step.startedUnixNs ? format::clockMs(*step.startedUnixNs) : QString(), TimeRole);
        set(m_job->state == JobState::Unknown && step.state == StepState::Running ? tr("state unknown")
                                                                                  : durationOf(step),
            DurationRole);
        set(m_job->state == JobState::Unknown, UnknownRole);
        set(QStringLiteral("%1, %2. %3").arg(step.name, stateWord(step.state), step.detail), Qt::DisplayRole);
        if (step.state == StepState::Running || step.state == StepState::Failed)
            current = row;
    }
    // Once the list has its final height: an error strip takes room from it.
    if (current >= 0)
        QTimer::singleShot(0, m_list, [this, current] { m_list->scrollTo(m_model->index(current, 0)); });
}

int JobStepsView::compactHeight() const {
    constexpr int mostRows = 7;
    const int rows = std::clamp(m_model->rowCount(), 2, mostRows);
    int height = rows * scaled(m_compact ? 24 : 44) + scaled(8);
    if (m_error->isVisibleTo(this))
        height +=
            std::max(m_error->heightForWidth(width() - scaled(24)), m_error->minimumSizeHint().height());
    if (m_foot->isVisibleTo(this))
        height += m_foot->sizeHint().height();
    return height;
}

QString JobStepsView::stepText(int row) const {
    return m_model->index(row, 0).data(Qt::DisplayRole).toString();
}

void JobStepsView::updateFoot() {
    m_foot->setVisible(m_job && m_job->drain);
    if (!m_job || !m_job->drain)
        return;
    const control::DrainStatus& drain = *m_job->drain;
    struct Figure {
        QString caption;
        std::uint64_t value;
        ColorRole role;
    };
    const std::array figures{
        Figure{tr("Moved"), drain.moved, ColorRole::Text},
        Figure{tr("Drained"), drain.drained, ColorRole::Text},
        Figure{tr("Closed idle"), drain.closedIdle, ColorRole::Text},
        Figure{
            tr("Left"), drain.openConnections, drain.openConnections > 0 ? ColorRole::Warn : ColorRole::Text},
        Figure{tr("Cut"), drain.cut, drain.cut > 0 ? ColorRole::Bad : ColorRole::Ok},
    };
    for (std::size_t i = 0; i < figures.size(); ++i) {
        m_figures[i].first->setText(figures[i].caption);
        m_figures[i].second->setText(format::number(static_cast<double>(figures[i].value)));
        m_figures[i].second->setRole(figures[i].role);
    }
}

} // namespace yardmaster::ui
