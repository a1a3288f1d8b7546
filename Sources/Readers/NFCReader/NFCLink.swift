internal import Foundation
public import ISO7816
public import Links
public import Octets
internal import Synchronization

/// Is a card for a terminal, through an NFC device that can be a target: PN532 and its relatives.
///
/// The chip does ISO-DEP with its own answers; an ATS of ours is limited to the historical bytes, and the UID to four
/// octets that begin with 08, which is what a phone has.
public final class NFCLink: EmulationLink {
  private let device: NFCDevice
  private let identifier: [UInt8]
  private let historicalBytes: [UInt8]
  private let clock: any MonotonicClock
  private let isStopped = Atomic(false)
  private let isServing = Atomic(false)

  /// Creates a link that presents the card when it is served.
  ///
  /// - Parameters:
  ///   - device: The device, in no other use.
  ///   - historicalBytes: For the ATS: at most 15, more trap.
  ///   - clock: What the responder's instants are read from.
  ///   - random: Where the last three octets of the UID come from.
  public init(
    _ device: NFCDevice, historicalBytes: [UInt8] = [], clock: any MonotonicClock = SystemClock(),
    random: any RandomSource = SystemRandomSource()
  ) {
    precondition(historicalBytes.count <= 15, "an ATS of a PN532 holds at most 15 historical bytes")
    self.device = device
    self.historicalBytes = historicalBytes
    self.clock = clock
    identifier = [0x08] + random.octets(3)
  }

  /// Presents the card and answers terminals until `stop()`.
  ///
  /// A terminal's faults, such as a command beyond `NFCDevice.maximumCommandCount`, end its visit, not the link.
  ///
  /// - Throws: `LinkError`: `.readerUnavailable` when the device goes away, `.serviceUnavailable` when libnfc fails.
  public func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    isServing.store(true, ordering: .releasing)
    // The chip would be a card on its own as long as the device is open.
    defer {
      _ = try? device.process.asked(.release, timeout: NFCDevice.patience)
      isServing.store(false, ordering: .releasing)
    }
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    while !isStopped.load(ordering: .acquiring) {
      do throws(LinkError) {
        _ = try device.process.asked(
          .await(identifier: identifier, historicalBytes: historicalBytes), timeout: nil)
      } catch {
        if isStopped.load(ordering: .acquiring) { return }
        guard [.stopped, .cardRemoved, .timedOut].contains(error.code) else { throw error }
        continue
      }
      try receiveTerminal(&responder, &room)
    }
  }

  private func receiveTerminal<Responder: CommandResponder & ~Copyable>(
    _ responder: inout Responder, _ room: inout [UInt8]
  ) throws(LinkError) {
    responder.fieldChanged(.powered, at: clock.now)
    var ending = FieldEvent.lost
    defer { responder.fieldChanged(ending, at: clock.now) }
    do throws(LinkError) {
      while true {
        let reply = try device.process.asked(.receive, timeout: nil)
        guard case .octets(let command) = reply else {
          if reply == .released(isDeselected: true) { ending = .deselected }
          return
        }
        let arrived = clock.now
        let count = room.withMutableOctets { responder.respond(to: command.span, at: arrived, into: &$0) }
        requireResponse(of: count, within: room.count)
        // A card that was taken away while it computed does not answer any more.
        if isStopped.load(ordering: .acquiring) { return }
        let answered = try device.process.asked(.respond(Array(room[..<count])), timeout: NFCDevice.patience)
        guard answered == .done else {
          if answered == .released(isDeselected: true) { ending = .deselected }
          return
        }
      }
    } catch {
      if isStopped.load(ordering: .acquiring) { return }
      guard [.stopped, .cardRemoved, .timedOut, .transmissionFailed].contains(error.code) else { throw error }
    }
  }

  /// Takes the card out of the field.
  public func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    device.process.abort()
    // An abort that meets the moment between two requests is lost, so it is repeated until the card has left. One that
    // comes too late only wakes the next link's wait, which goes on.
    Thread.detachNewThread { [self] in
      while isServing.load(ordering: .acquiring) {
        device.process.abort()
        usleep(20_000)
      }
    }
  }
}
