internal import Octets

/// A fault of one frame in a field.
public enum FieldFault: Equatable, Sendable {
  /// The frame is lost.
  case drop
  /// One bit of the frame changes, so that its parity and its checksum are wrong.
  case corrupt
  /// The frame comes later. If another frame is sent before it arrives, it is lost.
  case delay(Duration)
  /// Card and reader are taken apart during the frame. They are brought together again after `absence`, or stay apart
  /// when it is nil.
  case tear(absence: Duration?)
  /// The reader's field fails during the frame and is on again after a time; the card loses its power.
  case fieldOff(Duration)
}

/// Which frames of a field go wrong: none, frames by their number, or a share of all frames by a seed. The same plan
/// gives the same faults for the same frames.
public struct FieldFaultPlan: Sendable {
  private var scripted: [Int: FieldFault]
  private var chances: [(fault: FieldFault, perMille: Int)]
  private var random: SplitMix64
  private let sparesActivation: Bool
  /// The number of frames so far that count for the plan.
  public private(set) var frameCount = 0
  /// The number of those frames that went wrong.
  public private(set) var faultCount = 0

  private init(
    _ scripted: [Int: FieldFault], _ chances: [(fault: FieldFault, perMille: Int)], seed: UInt64, spares: Bool
  ) {
    self.scripted = scripted
    self.chances = chances
    random = SplitMix64(seed: seed)
    sparesActivation = spares
  }

  /// A plan without faults.
  public static let none = FieldFaultPlan([:], [], seed: 0, spares: false)

  /// A plan of faults at given frames.
  ///
  /// - Parameters:
  ///   - faults: The fault of each frame, by the number of the frame, which starts at 0.
  ///   - sparesActivation: Whether only the blocks of ISO-DEP count, which follow the ATS.
  public static func at(_ faults: [Int: FieldFault], sparesActivation: Bool = true) -> FieldFaultPlan {
    FieldFaultPlan(faults, [], seed: 0, spares: sparesActivation)
  }

  /// A plan of random faults.
  ///
  /// - Parameters:
  ///   - seed: The seed of all random decisions.
  ///   - chances: How many of 1000 frames get each fault. A sum above 1000, or a negative share, traps.
  ///   - sparesActivation: Whether only the blocks of ISO-DEP count.
  public static func random(
    seed: UInt64, _ chances: [(fault: FieldFault, perMille: Int)], sparesActivation: Bool = false
  ) -> FieldFaultPlan {
    precondition(
      chances.allSatisfy { $0.perMille >= 0 } && chances.reduce(0) { $0 + $1.perMille } <= 1000,
      "the shares of all faults are at most 1000 in 1000 frames")
    return FieldFaultPlan([:], chances, seed: seed, spares: sparesActivation)
  }

  /// The fault of the next frame.
  mutating func next(isActivation: Bool) -> FieldFault? {
    if isActivation, sparesActivation { return nil }
    defer { frameCount += 1 }
    let fault = scripted[frameCount] ?? drawn()
    if fault != nil { faultCount += 1 }
    return fault
  }

  private mutating func drawn() -> FieldFault? {
    guard !chances.isEmpty else { return nil }
    var draw = Int.random(in: 0..<1000, using: &random)
    for (fault, share) in chances {
      if draw < share { return fault }
      draw -= share
    }
    return nil
  }

  /// Returns the frame with one bit changed, which the seed selects.
  mutating func corrupted(_ frame: AirFrame) -> AirFrame {
    var frame = frame
    frame.isDamaged = true
    let place = Int.random(in: 0..<max(frame.octets.count * 8, 1), using: &random)
    if place / 8 < frame.octets.count { frame.octets[place / 8] ^= 1 << UInt8(place % 8) }
    return frame
  }
}
