public import Links
internal import POSIX
import ReaderSimulator

/// A device for a `SimulatedUSBBus`. It can be plugged in and unplugged any number of times; its cards stay with it.
public final class SimulatedUSBDevice: Sendable {
  /// What the device reports about itself.
  public let description: USBDescription
  /// The slots for cards, of all its interfaces.
  let slots: [CardPort]
  /// The chip that programs drive themselves; nil without one.
  let chip: ChipPort?
  /// Creates the firmware of a device that is plugged in. It raises the signal when it has something to send.
  let makeFirmware: @Sendable (WakeSignal) -> any USBFirmware

  private let faults: FaultPort

  init(
    _ description: USBDescription, slots: [CardPort], chip: ChipPort? = nil, faults: FaultPort = FaultPort(),
    _ makeFirmware: @escaping @Sendable (WakeSignal) -> any USBFirmware
  ) {
    self.description = description
    self.slots = slots
    self.chip = chip
    self.faults = faults
    self.makeFirmware = makeFirmware
  }

  /// How many slots for cards it has.
  public var slotCount: Int { slots.count }

  /// Whether it has a chip that programs drive themselves, in a `ReaderSimulator`.
  public var hasChip: Bool { chip != nil }

  /// The name of libnfc's driver for the chip; nil without a chip.
  var chipDriver: String? { chip.map { $0.chip.link == .direct ? "acr122_usb" : "pn53x_usb" } }

  /// Replaces the fault plan for the responses and notifications that follow.
  public func setFaults(_ plan: USBFaultPlan) { faults.set(plan) }

  /// A link that puts a card into a slot while it serves.
  ///
  /// - Parameters:
  ///   - card: What the reader finds of the card.
  ///   - slot: The number of the slot, the slots of all interfaces counted; another number traps.
  public func link(for card: SlotCard = .typeA(), slot: Int = 0) -> some EmulationLink {
    precondition(slots.indices.contains(slot), "the device has \(slots.count) slots, so slot \(slot) does not exist")
    return SlotLink(card, at: slots[slot])
  }
}
