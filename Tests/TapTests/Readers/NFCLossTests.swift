import CardEmulation
import ContactlessPayment
import Foundation
import ISO7816
import Links
import NFCReader
import Octets
import ReaderSimulator
import TestSupport
import Testing

/// The card is a session in this process behind one chip, the terminal is at the other; libnfc serves both.
@Suite("A terminal that leaves a card on a chip", .blocks, .serialized, .timeLimit(.minutes(20)))
struct NFCLossTests {
  static let select = "00A4040007A000000003101000"
  static let other = "00A4040007A000000004101000"

  /// A response may come as late as it likes: the tasks of a test run may start seconds late.
  static let unlimited = EmulationLimits(answer: .seconds(3_600))

  @Test(arguments: ChipPair.Departure.allCases)
  func `an emulation reports whether it was deselected or lost its field`(_ departure: ChipPair.Departure) async throws
  {
    let pair = try ChipPair()
    let session = CardEmulationSession(limits: Self.unlimited)
    try session.startEmulation(on: NFCLink(pair.target))
    let events = Task {
      var names: [String] = []
      for await event in session.events {
        switch event {
        case .readerDetected: names.append("detected")
        case .received(let apdu): try apdu.respond(with: ResponseAPDU(status: StatusWord(rawValue: 0x9000)))
        case .readerDeselected(let reason):
          names.append("\(reason.rawValue)")
          if names.count == 4 { return names }
        case .sessionStarted, .sessionInvalidated: break
        }
      }
      return names
    }
    for _ in 0..<2 { #expect(try await pair.tap([Self.select], departure) == ["9000"]) }
    let reason = departure == .deselect ? "1" : "0"
    #expect(try await events.value == ["detected", reason, "detected", reason])
    session.invalidate()
    await session.finished()
  }

  @Test func `an application that is left for another one is deselected, whatever the field does`() async throws {
    let pair = try ChipPair()
    let session = CardEmulationSession(
      declared: try DeclaredAIDs([[UInt8](hex: "A0000000031010")]), limits: Self.unlimited)
    try session.startEmulation(on: NFCLink(pair.target))
    let first = Task {
      for await event in session.events {
        if case .received(let apdu) = event {
          try apdu.respond(with: ResponseAPDU(status: StatusWord(rawValue: 0x9000)))
        }
        if case .readerDeselected(let reason) = event { return reason as DeactivationReason? }
      }
      return nil
    }
    #expect(try await pair.tap([Self.select, Self.other], .tear) == ["9000", "6A82"])
    #expect(try await first.value == .deselected)
    session.invalidate()
    await session.finished()
  }

  @Test(arguments: ChipPair.Departure.allCases)
  func `a payment stays armed when two terminals leave before its cryptogram`(_ departure: ChipPair.Departure)
    async throws
  {
    let pair = try ChipPair()
    let setup = try await LossSetup(card: "visa-cvn18")
    let (session, log) = try await setup.armed()
    try await session.startEmulation(on: NFCLink(pair.target, clock: setup.clock))
    for _ in 0..<2 {
      _ = try await pair.tap([Self.select], departure)
      await log.read(until: "posDisconnected")
    }
    #expect(log.names.suffix(4) == ["posConnected", "posDisconnected", "posConnected", "posDisconnected"])
    await setup.end(session)
    #expect(await log.drain().last == "errorEncountered(cancelled)")
    #expect(try setup.usesLeft() == LossSetup.uses)
  }

  @Test(arguments: [0, 2], ChipPair.Departure.allCases)
  func `the retry limit allows that many interruptions, and the next one is an error`(
    _ limit: Int, _ departure: ChipPair.Departure
  )
    async throws
  {
    let pair = try ChipPair()
    let setup = try await LossSetup(card: "visa-cvn18")
    let (session, log) = try await setup.armed(limits: SessionLimits(retries: RetryPolicy(limit: limit)))
    try await session.startEmulation(on: NFCLink(pair.target, clock: setup.clock))
    for _ in 0..<limit {
      _ = try await pair.tap([Self.select], departure)
      await log.read(until: "posDisconnected")
    }
    _ = try await pair.tap([Self.select], departure)
    let names = await log.drain()
    #expect(names.count { $0 == "posDisconnected" } == limit)
    #expect(names.last == "errorEncountered(transmissionError)")
    await session.finished()
    #expect(try setup.usesLeft() == LossSetup.uses)
  }

  @Test func `a terminal that stays away for longer than the retry time-out ends the session`() async throws {
    let pair = try ChipPair()
    let setup = try await LossSetup(card: "visa-cvn18")
    let retries = try RetryPolicy(limit: 3, timeout: .milliseconds(500))
    let (session, log) = try await setup.armed(limits: SessionLimits(retries: retries))
    try await session.startEmulation(on: NFCLink(pair.target, clock: setup.clock))
    _ = try await pair.tap([Self.select], .tear)
    await log.read(until: "posDisconnected")
    let (away, clock) = (setup.clock.now, setup.clock)
    let hand = Task {
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(50))
        try await Task.sleep(for: .milliseconds(2))
      }
    }
    #expect(await log.drain().suffix(2) == ["posDisconnected", "errorEncountered(transmissionError)"])
    hand.cancel()
    #expect(setup.clock.now - away >= .milliseconds(500))
    await session.finished()
  }

  @Test func `a session that is cancelled takes its card off the chip, in the middle of a tap as well`() async throws {
    let pair = try ChipPair()
    let setup = try await LossSetup(card: "visa-cvn18")
    let (session, log) = try await setup.armed()
    try await session.startEmulation(on: NFCLink(pair.target, clock: setup.clock))
    let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
      linkError { () throws(LinkError) in
        var channel = try NFCChannel(pair.reader, timeout: .seconds(600))
        let selection: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0, 0, 0, 0x03, 0x10, 0x10, 0x00]
        var room = [UInt8](repeating: 0, count: 258)
        while true {
          _ = try room.withMutableOctets { (room) throws(LinkError) in
            try channel.transmit(selection.span, into: &room)
          }
        }
      }
    }
    await log.read(until: "posConnected")
    await setup.end(session)
    #expect(await log.drain().filter(\.isTerminalEvent) == ["errorEncountered(cancelled)"])
    let error = await terminal.value()
    #expect(error?.code == .cardRemoved || error?.code == .timedOut, "\(error?.reason ?? "none")")
  }
}
