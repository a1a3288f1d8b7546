import DisplayText
import ISO7816
import Links
import Octets
import ProgramSupport
import ReaderSimulator
import USBSimulator

/// The reader of `tap lab usb` with the armed card in its first slot and in the field of its chip, a second reader whose
/// chip is in the same field, and what is typed while they run.
final class SimulatedUSBReader: Sendable {
  private struct State {
    /// Whether the card is to be in the slot.
    var hasCard = true
    var link: (any EmulationLink)?
  }

  /// How long the card is away after a payment: longer than a reader needs to notice.
  private static let absence = Duration.milliseconds(500)

  let bus: SimulatedUSBBus
  let device: SimulatedUSBDevice
  private let second: SimulatedUSBDevice?
  /// The field of the chips; nil for a reader without a chip.
  private let field: ReaderSimulator?
  private let slot: LabSlot
  private let type: CardType
  private let state = WaitableState(State())

  init(
    _ device: SimulatedUSBDevice, beside second: SimulatedUSBDevice?, on bus: SimulatedUSBBus, slot: LabSlot,
    type: CardType
  ) throws(LinkError) {
    (self.device, self.second, self.bus, self.slot, self.type) = (device, second, bus, slot, type)
    let layout = second == nil ? type.layout() : .pair
    field = device.hasChip ? try ReaderSimulator(layout, of: [device, second].compactMap(\.self)) : nil
  }

  private var devices: [SimulatedUSBDevice] { [device, second].compactMap(\.self) }

  /// The variables of programs that see the bus, as a shell takes them before a command.
  var busVariables: String {
    bus.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.shellWord)" }.joined(separator: " ")
  }

  /// The names under which libnfc finds the chips.
  var connstrings: [String] { devices.compactMap(bus.connstring(of:)) }

  /// Plugs the readers in that are not.
  func plug() throws(LinkError) {
    for device in devices where !bus.isPlugged(device) { try bus.plug(device) }
  }

  func unplug() { for device in devices { bus.unplug(device) } }

  /// Follows a typed line: `plug`, `unplug`, `card in`, `card out`, or `fault` and the name of a fault.
  ///
  /// - Returns: What is wrong with the line; nil for nothing.
  func follow(_ line: String) throws(LinkError) -> String? {
    let words = line.split(separator: " ").map(String.init)
    switch words {
    case []: return nil
    case ["plug"]: try plug()
    case ["unplug"]: unplug()
    case ["card", "in"]: setCard(true)
    case ["card", "out"]: setCard(false)
    case ["fault", "none"]: device.setFaults(.none)
    default:
      guard words.count == 2, words[0] == "fault", let fault = USBFault(rawValue: words[1]) else {
        let faults = USBFault.allCases.map(\.rawValue).joined(separator: ", ")
        return
          "\(line.visible()): plug, unplug, card in, card out, fault NAME or fault none is needed. Faults: \(faults)."
      }
      device.setFaults(.next(fault))
    }
    return nil
  }

  private func setCard(_ hasCard: Bool) {
    let link = state.update { state in
      state.hasCard = hasCard
      return hasCard ? nil : state.link
    }
    link?.stop()
    field?.setCoupled(hasCard)
  }

  /// Runs the chips until the slot is closed, with the card in their field.
  ///
  /// - Parameter card: Nil for an empty field, and for the field of two chips.
  func runChips(_ card: LabCard?) async throws {
    guard let field else { return }
    let (slot, traffic) = (slot, card?.traffic)
    let isEmpty = card == nil
    if isEmpty, second == nil { field.setCoupled(false) }
    let chips = DedicatedThread(named: "chips") { () throws(LinkError) in
      guard !isEmpty else { return try field.run() }
      var slotted = SlottedCard(slot: slot)
      if let traffic { try traffic.serve(slotted, on: field) } else { try field.serve(&slotted) }
    }
    while !slot.isClosed { await slot.rest(for: .seconds(1)) }
    field.stop()
    try await chips.value()
  }

  /// Takes the card away for a moment.
  private func leave() async {
    state.read(\.link)?.stop()
    field?.setCoupled(false)
    await slot.rest(for: Self.absence)
    if state.read(\.hasCard) { field?.setCoupled(true) }
  }

  /// Keeps the card in the first slot until the slot is closed: takes it out for a moment after each payment, and as long
  /// as `card out` says so.
  func present(_ traffic: LabTraffic?) async throws {
    let departures = Task {
      for await _ in slot.departures { await leave() }
      // The slot is closed.
      state.read(\.link)?.stop()
    }
    defer { departures.cancel() }
    while !slot.isClosed {
      guard device.slotCount > 0, state.read(\.hasCard) else {
        await slot.rest(for: .milliseconds(20))
        continue
      }
      let link = device.link(for: type.slotCard)
      state.update { $0.link = link }
      let slot = slot
      let reader = DedicatedThread(named: "reader") { () throws(LinkError) in
        var card = SlottedCard(slot: slot)
        if let traffic { try traffic.serve(card, on: link) } else { try link.serve(&card) }
      }
      if slot.isClosed { link.stop() }
      try await reader.value()
      slot.visitEnded()
      await slot.rest(for: Self.absence)
    }
  }
}
