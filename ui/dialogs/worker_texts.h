// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"
#include "ui/theme/glyphs.h"

#include <QCoreApplication>
#include <QString>

/// Workers, jobs and events in words and glyphs: one wording for pages, dialogs, strip and palette.
namespace yardmaster::ui {

[[nodiscard]] QString stateText(const control::WorkerInfo& worker); ///< "Draining, 64 left"
[[nodiscard]] Glyph stateGlyph(control::WorkerState state);
/// The number people know a worker by: its slot, which stays through upgrades.
[[nodiscard]] std::uint32_t workerNumber(const control::WorkerInfo& worker);
[[nodiscard]] QString workerName(const control::WorkerInfo& worker); ///< "3", "3 old", "3 new" until it is ready
[[nodiscard]] bool isLiving(const control::WorkerInfo& worker);
[[nodiscard]] std::size_t countServing(const std::vector<control::WorkerInfo>& workers);
[[nodiscard]] std::size_t countDraining(const std::vector<control::WorkerInfo>& workers);

[[nodiscard]] QString workersText(std::size_t count); ///< "1 worker", "8 workers"

[[nodiscard]] Glyph stepGlyph(control::StepState state);
[[nodiscard]] Glyph jobGlyph(control::JobState state);
[[nodiscard]] QString jobResult(const control::Job& job); ///< "finished 14:32:31", "state unknown"
/// The step that runs, else the last that was reached; -1 without steps.
[[nodiscard]] int currentStep(const control::Job& job);
[[nodiscard]] double elapsedSeconds(const control::Job& job, std::int64_t nowUnixNs);
[[nodiscard]] std::int64_t nowUnixNs();

[[nodiscard]] Glyph eventGlyph(const control::Event& event);
[[nodiscard]] QString versionText(const QString& version); ///< "v1.5.0", "–" when unknown
[[nodiscard]] QString targetSystemText(const control::Target& target); ///< "agent 1.5.0", "Sozu 2.1.0"

} // namespace yardmaster::ui
