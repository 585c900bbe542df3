// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// How an agent and one worker process talk. Both sides include this header; the text is the contract.
///
/// Start. The agent makes the process with these descriptors and arguments
///     yardmaster-worker --id 7 --slot 3
/// and the numbers below; every other descriptor is close-on-exec. The order after that is fixed:
///  1. agent -> channel: one frame ServerConfig (options in field 1000).
///  2. agent -> scm: the listening sockets, as sendmsg with SCM_RIGHTS; the data is a varint-delimited
///     ListenersCount naming the addresses in the order of the descriptors, at most 200 of them a message,
///     `more` set on all but the last. An empty list is one message with the single byte 0 and no descriptor.
///     The worker never binds a socket itself: a count that differs from the descriptors received is fatal.
///  3. worker -> channel: WorkerResponse{id "PHASE", PROCESSING, report{REPORT_PHASE, stamps}} each time a
///  stamp is
///     added, at least: listeners, state, ready, first_request. Ready is said after the first accept was
///     armed. A worker that cannot start sends {id "FATAL", FAILURE, report{REPORT_FATAL, error}} and exits
///     with 1.
///  4. The initial state is read from stateFd: an InitialState of varint-delimited WorkerRequest (field 1), a
///  sealed
///     memfd shared by all workers of a rollout; read with pread/mmap, never by moving the shared offset.
///
/// Run. agent -> channel: WorkerRequest{id, content}; the worker answers WorkerResponse with the same id, one
/// OK or FAILURE each, in order. State requests change the worker's ConfigState and its routing before the
/// answer.
///   - activate_listener: the agent has sent the socket on scm (ListenersCount of one) before the request.
///   - soft_stop (DrainOptions in 1000): PROCESSING with REPORT_DRAIN reports at most every 100 ms, then OK
///   with the
///     last report when no connection is left or the deadline has cut the rest; then the worker exits with 0.
///   - hard_stop: OK, then exit 0.      - status: OK.
/// Metrics are not asked for: the agent reads the page (metricsFd, backend/metrics/metrics_page.h).
///
/// Adoption. When the channel reaches its end the worker goes on serving (or draining) and accepts one peer
/// of its own uid at a time on adoptionFd, a listening unix SOCK_STREAM socket that the agent bound at
/// <runtime_directory>/worker-<id>.sock before the spawn and then closed on its own side. To a peer that
/// connects the worker sends, with one SCM_RIGHTS message ahead of the frames, [metrics page, state memfd,
/// listeners...] and the data varint-delimited ListenersCount (more than 200 listeners: further messages as
/// above), then the frame WorkerResponse{id "ADOPT", PROCESSING, report{REPORT_ADOPTION, id, pid, version,
/// stamps, revision, phase, slot}}; the state memfd holds the worker's present state as InitialState. From
/// then on that connection is both channel and scm. If it ends, the worker accepts again.
namespace yardmaster::protocol {

inline constexpr int channelFd = 100; ///< SOCK_STREAM, frames
inline constexpr int scmFd = 101; ///< SOCK_STREAM, listening sockets
inline constexpr int stateFd = 102;
inline constexpr int metricsFd = 103;
inline constexpr int adoptionFd = 104;
inline constexpr int firstFreeFd = 110; ///< the agent moves what it hands over above this before it dup2()s

inline constexpr int maxFdsPerMessage = 200; ///< Sozu's limit; Linux's own is 253

inline constexpr const char* phaseMessageId = "PHASE";
inline constexpr const char* fatalMessageId = "FATAL";
inline constexpr const char* adoptMessageId = "ADOPT";

} // namespace yardmaster::protocol
