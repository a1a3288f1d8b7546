/// A comparison of a policy: an index holds, or has reached, a number.
struct TPMComparison: Sendable {
  enum Operator: UInt16, Sendable {
    // TPM_EO (part 2, section 6.10).
    case equal = 0
    case atLeast = 7
  }

  let index: UInt32
  let relation: Operator
  let number: UInt64
}
