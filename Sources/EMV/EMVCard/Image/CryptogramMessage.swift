internal import Ciphers

/// The message of a cryptogram, laid out when a profile is compiled, so that the tap only copies values into it.
struct CryptogramMessage {
  /// The padded message with zeros in the place of what the tap brings.
  private(set) var template: [UInt8] = []
  /// What the tap brings, as few runs as possible.
  private(set) var steps: [CryptogramStep] = []

  /// - Parameter isOptions: Whether GET PROCESSING OPTIONS brings the values of the command.
  init(_ plan: CryptogramPlan, isOptions: Bool) {
    for step in plan.steps {
      switch step {
      case .values(let range): append(isOptions ? .optionsValues : .listValues, range)
      case .optionsValues(let range): append(.optionsValues, range)
      case .firstValues(let range): append(.firstValues, range)
      case .constant(let octets): template += octets
      case .transactionCounter: append(.transactionCounter, 0..<2)
      }
    }
    if plan.padding == .mandatory { template.append(0x80) }
    while !template.count.isMultiple(of: 8) { template.append(0x00) }
  }

  private mutating func append(_ kind: CryptogramStep.Kind, _ range: Range<Int>) {
    defer { template += [UInt8](repeating: 0, count: range.count) }
    let step = CryptogramStep(kind, from: range.lowerBound, to: template.count, count: range.count)
    // A list often has the values in the order of the message: then one copy takes them all.
    if kind != .transactionCounter, let last = steps.last, last.kind == kind,
      last.source + last.count == step.source, last.target + last.count == step.target
    {
      steps[steps.count - 1] = CryptogramStep(
        kind, from: last.source, to: last.target, count: last.count + step.count)
    } else {
      steps.append(step)
    }
  }
}

/// A part of a cryptogram's message that only the tap brings, in 8 bytes of the arena: kind, offset among the values,
/// offset in the message, count.
struct CryptogramStep: RawRepresentable {
  /// The source of the bytes.
  enum Kind: UInt64 {
    /// The values of the command that asks for the cryptogram, when that is not GET PROCESSING OPTIONS.
    case listValues
    /// The values of GET PROCESSING OPTIONS.
    case optionsValues
    /// The transaction counter.
    case transactionCounter
    /// The values of the command that asked for the first cryptogram.
    case firstValues
  }

  /// The bytes of one step.
  static let size = 8

  let rawValue: UInt64
}

extension CryptogramStep {
  init(_ kind: Kind, from source: Int, to target: Int, count: Int) {
    rawValue = kind.rawValue << 48 | UInt64(source) << 32 | UInt64(target) << 16 | UInt64(count)
  }

  var kind: Kind { Kind(rawValue: rawValue >> 48) ?? .firstValues }
  var source: Int { Int(rawValue >> 32 & 0xFFFF) }
  var target: Int { Int(rawValue >> 16 & 0xFFFF) }
  var count: Int { Int(rawValue & 0xFFFF) }
}
