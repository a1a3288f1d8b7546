import ISO7816
import Links
@testable import CardEmulation
import Octets
import Testing

@Suite struct EmulationMachineTests {
  static let start = Instant(nanoseconds: 1_000)
  static let limit = EmulationError(.maxSessionDurationReached, "")
  static let stopped = EmulationError(.emulationStopped, "")
  static let app = EmulationError(.invalidated, "")
  static let radio = EmulationError(.radioDisabled, "")

  enum Place: String, CaseIterable { case ready, cooling, emulating, detected, deselected, ended }

  enum Event: String, CaseIterable {
    case stop, powered, reset, deselected, lost, received, dropped, linkEnded, linkFailed, limit, invalidate
  }

  func machine(in place: Place) throws -> EmulationMachine {
    var machine = EmulationMachine(coolDown: .seconds(5))
    if place == .ready { return machine }
    let run = try machine.start(at: Self.start)
    switch place {
    case .ready, .emulating: break
    case .cooling: _ = machine.stop(at: Self.start)
    case .detected: _ = machine.field(.powered, of: run)
    case .deselected:
      _ = machine.field(.powered, of: run)
      _ = machine.field(.deselected, of: run)
    case .ended: _ = machine.invalidate(Self.app)
    }
    return machine
  }

  func outputs(of event: Event, in place: Place, run: Int? = nil) throws -> [EmulationMachine.Output]? {
    var machine = try machine(in: place)
    let run = run ?? machine.run
    return switch event {
    case .stop: machine.stop(at: Self.start)
    case .powered: machine.field(.powered, of: run)
    case .reset: machine.field(.reset, of: run)
    case .deselected: machine.field(.deselected, of: run)
    case .lost: machine.field(.lost, of: run)
    case .received: machine.received(of: run)
    case .dropped: machine.dropped(of: run)
    case .linkEnded: machine.linkEnded(nil, of: run)
    case .linkFailed: machine.linkEnded(LinkError(.readerUnavailable, ""), of: run)
    case .limit: machine.limitReached(of: run)
    case .invalidate: machine.invalidate(Self.app)
    }
  }

  /// The outputs of every event on a link: without a reader, with one, with one that has selected another application.
  static let onLink: [Event: [[EmulationMachine.Output]]] = {
    let gone = EmulationMachine.Output.readerDeselected(.linkLoss)
    func ending(_ error: EmulationError) -> [[EmulationMachine.Output]] {
      let end: [EmulationMachine.Output] = [.removeCard, .invalidated(error)]
      return [end, [gone] + end, end]
    }
    return [
      .stop: [[.removeCard], [gone, .removeCard], [.removeCard]],
      .powered: [[.readerDetected], [], []],
      .reset: [[], [gone, .readerDetected], [.readerDetected]],
      .deselected: [[], [.readerDeselected(.deselected)], []],
      .lost: [[], [gone], []],
      .received: [[.readerDetected], [], [.readerDetected]],
      .dropped: ending(stopped), .linkEnded: ending(stopped), .linkFailed: ending(radio), .limit: ending(limit),
      .invalidate: ending(app),
    ]
  }()

  @Test(arguments: Event.allCases, Place.allCases)
  func `every event has its defined outputs in every state`(_ event: Event, _ place: Place) throws {
    let outputs = try outputs(of: event, in: place)
    let row = try #require(Self.onLink[event])
    switch place {
    case .emulating: #expect(outputs == row[0])
    case .detected: #expect(outputs == row[1])
    case .deselected: #expect(outputs == row[2])
    case .ready, .cooling: #expect(outputs ?? [] == (event == .invalidate ? [.invalidated(Self.app)] : []))
    case .ended: #expect(outputs ?? [] == [])
    }
    #expect((outputs == nil) == (event == .received && [.ready, .cooling, .ended].contains(place)))
  }

  @Test(
    arguments: Event.allCases.filter { $0 != .stop && $0 != .invalidate }, [Place.emulating, .detected, .deselected])
  func `a late event of an earlier run has no effect`(_ event: Event, _ place: Place) throws {
    #expect(try outputs(of: event, in: place, run: 0) ?? [] == [])
  }

  @Test func `the deactivation reasons have the values of Android's host card emulation`() {
    #expect(DeactivationReason.linkLoss.rawValue == 0)
    #expect(DeactivationReason.deselected.rawValue == 1)
  }

  /// The state, the time since the stop, and the error of a start.
  static let starts: [(Place, Duration, EmulationError.Code?)] = [
    (.ready, .zero, nil), (.cooling, .zero, .systemNotAvailable), (.cooling, .milliseconds(4_999), .systemNotAvailable),
    (.cooling, .seconds(5), nil), (.emulating, .zero, .systemNotAvailable), (.detected, .zero, .systemNotAvailable),
    (.deselected, .zero, .systemNotAvailable), (.ended, .zero, .invalidated),
  ]

  @Test(arguments: starts.indices)
  func `a start succeeds only in a session that is ready and has cooled down`(_ row: Int) throws {
    let (place, later, code) = Self.starts[row]
    var machine = try machine(in: place)
    do throws(EmulationError) {
      _ = try machine.start(at: Self.start + later)
      #expect(code == nil)
    } catch { #expect(error.code == code) }
  }

  @Test func `no link error ends a session with transmissionError`() {
    let codes: [LinkError.Code] = [
      .cardRemoved, .terminalLost, .readerUnavailable, .serviceUnavailable, .busy, .timedOut, .stopped,
      .protocolViolation, .transmissionFailed, .recordingDiffers,
    ]
    for code in codes { #expect(EmulationError(LinkError(code, "")).code != .transmissionError) }
    #expect(EmulationError(LinkError(.readerUnavailable, "")).code == .radioDisabled)
    #expect(EmulationError(LinkError(.serviceUnavailable, "")).code == .systemNotAvailable)
    #expect(EmulationError(LinkError(.stopped, "")).code == .emulationStopped)
  }
}
