// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/job_strip.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/shell/console_session.h"
#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>

#include <algorithm>

namespace yardmaster::ui {

using control::Job;
using control::JobState;

/// 160 x 6, `accent` on `border`.
class ProgressLine final : public QWidget {
public:
    explicit ProgressLine(QWidget* parent)
        : QWidget(parent) {
        setFixedSize(scaled(160), scaled(6));
    }
    void setFraction(double fraction) {
        if (std::abs(fraction - m_fraction) < 0.001)
            return;
        m_fraction = fraction;
        setAccessibleName(QStringLiteral("%1 %").arg(qRound(fraction * 100)));
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = themeOf(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(ColorRole::Border));
        painter.drawRoundedRect(QRectF(rect()), 3, 3);
        painter.setBrush(theme.color(ColorRole::Accent));
        const double width = this->width() * std::clamp(m_fraction, 0.0, 1.0);
        if (width >= 1)
            painter.drawRoundedRect(QRectF(0, 0, width, height()), 3, 3);
    }

private:
    double m_fraction = 0;
};

namespace {

class Divider final : public QWidget {
public:
    explicit Divider(QWidget* parent)
        : QWidget(parent) {
        setFixedSize(1, scaled(16));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), themeOf(this).color(ColorRole::Border));
    }
};

double fractionOf(const Job& job) {
    if (job.state == JobState::Done)
        return 1;
    if (job.total > 1) // of several workers
        return static_cast<double>(job.done) / job.total;
    if (job.steps.empty())
        return 0;
    const auto done = std::count_if(job.steps.begin(), job.steps.end(), [](const control::JobStep& step) {
        return step.state == control::StepState::Done || step.state == control::StepState::Skipped;
    });
    return static_cast<double>(done) / static_cast<double>(job.steps.size());
}

} // namespace

JobStrip::JobStrip(ConsoleSession* session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_glyph(new GlyphLabel(Glyph::Done, this))
    , m_title(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this))
    , m_step(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this))
    , m_stepNumber(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_bar(new ProgressLine(this))
    , m_elapsed(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this))
    , m_result(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this))
    , m_show(new QPushButton(tr("Show"), this))
    , m_revision(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_rate(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_clock(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this)) {
    setFixedHeight(scaled(30));

    m_step->setElided(true);
    m_step->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_result->setElided(true);
    m_clock->setRoomFor(QStringLiteral("00:00:00"));
    setButtonKind(*m_show, ButtonKind::Link);
    setControlSize(*m_show, ControlSize::Panel);
    m_show->setFont(fontFor(TextStyle::SubTitle));
    m_show->setAccessibleName(tr("Show the job"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(scaled(10), 1, scaled(16), 0);
    layout->setSpacing(scaled(10));
    for (QWidget* widget : std::initializer_list<QWidget*>{
             m_glyph, m_title, m_step, m_stepNumber, m_bar, m_elapsed, m_result, m_show})
        layout->addWidget(widget);
    layout->addStretch(1);
    layout->addWidget(m_revision);
    layout->addWidget(new Divider(this));
    layout->addWidget(m_rate);
    layout->addWidget(new Divider(this));
    layout->addWidget(m_clock);
    connect(m_show, &QPushButton::clicked, this, &JobStrip::showWanted);
    connect(session, &ConsoleSession::stateChanged, this, &JobStrip::refresh);
    refresh();
}

void JobStrip::updateJob(const std::optional<Job>& job) {
    const auto setStrong = [this](bool strong) {
        QFont font = numberFontFor(TextStyle::SubTitle);
        font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
        m_title->setFont(font);
    };
    const bool hasJob = job.has_value();
    const bool isRunning = hasJob && job->state == JobState::Running;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_step, m_stepNumber, m_bar})
        widget->setVisible(isRunning);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_elapsed, m_result, m_show})
        widget->setVisible(hasJob);
    if (!hasJob) {
        m_glyph->setGlyph(Glyph::Done);
        m_title->setText(tr("No job running"));
        m_title->setRole(ColorRole::Muted);
        setStrong(false);
        return;
    }
    m_glyph->setGlyph(jobGlyph(job->state));
    m_title->setText(job->title);
    m_title->setRole(ColorRole::Text);
    setStrong(true);
    m_elapsed->setText(format::duration(elapsedSeconds(*job, nowUnixNs())));
    m_elapsed->setVisible(job->state != JobState::Unknown);
    const int step = currentStep(*job);
    if (isRunning) {
        m_step->setText(step < 0 ? QString() : job->steps[static_cast<std::size_t>(step)].name);
        m_stepNumber->setText(job->total > 1 ? tr("%1 of %2 workers").arg(job->done).arg(job->total)
                                             : tr("step %1 of %2").arg(step + 1).arg(job->steps.size()));
        m_bar->setFraction(fractionOf(*job));
    }
    QString result = isRunning ? QString() : jobResult(*job);
    ColorRole role = ColorRole::Text;
    if (job->state == JobState::Failed) {
        role = ColorRole::Bad;
        if (job->error)
            result += QStringLiteral(": ") + QString::fromStdString(job->error->what);
    } else if (job->drain) {
        const QString cut = tr("%1 cut").arg(format::number(static_cast<double>(job->drain->cut)));
        result = result.isEmpty() ? cut : result + QStringLiteral(", ") + cut;
        role = job->drain->cut > 0 ? ColorRole::Bad : isRunning ? ColorRole::Ok : ColorRole::Text;
    }
    m_result->setText(result);
    m_result->setRole(role);
    m_result->setVisible(!result.isEmpty());
}

void JobStrip::refresh() {
    updateJob(m_session->jobs()->newest());
    const control::SnapshotPtr snapshot = m_session->latest();
    m_revision->setText(snapshot == nullptr
            ? tr("Revision –")
            : tr("Revision %1").arg(format::number(static_cast<double>(snapshot->revision))));
    const int rate = m_session->samplesPerSecond();
    m_rate->setText(rate > 0 ? tr("Sampled at %1 Hz").arg(rate) : tr("No samples"));
    m_clock->setText(format::clock(nowUnixNs()));
}

QString JobStrip::text() const {
    QStringList parts;
    for (const TextLabel* label : {m_title, m_step, m_stepNumber, m_elapsed, m_result}) {
        if (label->isVisibleTo(this))
            parts << label->text();
    }
    return parts.join(u' ');
}

void JobStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_rate->setVisible(event->size().width() >= scaled(1000));
}

void JobStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(ColorRole::Panel));
    painter.fillRect(QRect(0, 0, width(), 1), theme.color(ColorRole::Border));
}

} // namespace yardmaster::ui
