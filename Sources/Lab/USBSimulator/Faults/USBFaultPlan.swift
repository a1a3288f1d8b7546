internal import Octets

/// Which responses and notifications of a device go wrong.
public struct USBFaultPlan: Sendable {
  /// No fault.
  public static let none = USBFaultPlan()

  /// The faults that happen once, in this order, each at the first response or notification that it fits.
  private var once: [USBFault] = []
  private var rates: [(fault: USBFault, perMille: Int)] = []
  private var random = SeededRandomSource(seed: 0)

  /// Faults that happen once, in this order.
  public static func next(_ faults: USBFault...) -> USBFaultPlan {
    var plan = USBFaultPlan()
    plan.once = faults
    return plan
  }

  /// Faults at random: the same seed gives the same faults for the same responses.
  ///
  /// - Parameter rates: How many of 1000 responses or notifications have the fault; a rate outside of 0 to 1000 traps.
  public static func random(seed: UInt64, _ rates: [(fault: USBFault, perMille: Int)]) -> USBFaultPlan {
    precondition(rates.allSatisfy { (0...1000).contains($0.perMille) }, "a rate is 0 to 1000 of 1000")
    var plan = USBFaultPlan()
    plan.rates = rates
    plan.random = SeededRandomSource(seed: seed)
    return plan
  }

  /// The fault of the next response, or of the next notification.
  mutating func next(isNotification: Bool) -> USBFault? {
    if let index = once.firstIndex(where: { $0.concernsNotifications == isNotification }) {
      return once.remove(at: index)
    }
    for rate in rates where rate.fault.concernsNotifications == isNotification {
      let draw = random.octets(4).reduce(0) { $0 << 8 | Int($1) }
      if draw % 1000 < rate.perMille { return rate.fault }
    }
    return nil
  }
}
