internal import EMVData
internal import ISO7816
internal import Octets
internal import PaymentAcceptance

/// Compares one data element with its expectation.
struct ElementCheck {
  let expectation: ElementExpectation
  let evidence: TapEvidence
  let show: ScenarioCheck.Disclosure

  /// One failure or none.
  var failures: [ScenarioFailure] {
    let found = evidence.value(of: expectation.tag)
    switch (expectation.condition, found) {
    case (.absent, nil), (.present, .some): return []
    case (.absent, .some(let found)): return [failure(found.exchange, "", "absent", shown(found.value))]
    case (_, nil): return [failure(nil, "", wanted, "absent")]
    case (_, .some(let found)): return failure(found.value, found.exchange).map { [$0] } ?? []
    }
  }

  private func failure(_ value: [UInt8], _ exchange: Exchange?) -> ScenarioFailure? {
    switch expectation.condition {
    case .present, .absent: return nil
    case .equals(let octets):
      guard value != octets else { return nil }
      let (expected, got) = (wanted, shown(value))
      return failure(exchange, "", expected, expected == got ? "\(got), which differs where it is masked" : got)
    case .masked(let octets, let mask):
      let isSame = value.count == mask.count && zip(value, zip(octets, mask)).allSatisfy { $0 & $1.1 == $1.0 & $1.1 }
      return isSame ? nil : failure(exchange, "", wanted, shown(value))
    case .length(let range):
      return range.contains(value.count) ? nil : failure(exchange, ", length", wanted, "\(value.count.bytes)")
    case .bit(let octet, let bit, let name, let isSet):
      let place = ", byte \(octet) bit \(bit)" + (name.isEmpty ? "" : " \(name)")
      guard octet <= value.count else { return failure(exchange, place, wanted, "\(value.count.bytes)") }
      guard value[octet - 1] >> UInt8(bit - 1) & 1 == (isSet ? 1 : 0) else {
        return failure(exchange, place, wanted, "\(isSet ? "not set" : "set") in \(shown(value))")
      }
      return nil
    case .field(let octet, let bits, let name, let number):
      let place = ", byte \(octet) bits \(bits.upperBound)-\(bits.lowerBound) \(name)"
      guard octet <= value.count else { return failure(exchange, place, wanted, "\(value.count.bytes)") }
      let got = value[octet - 1] >> UInt8(bits.lowerBound - 1) & (0xFF >> UInt8(8 - bits.count))
      return got == number ? nil : failure(exchange, place, wanted, "\(got) in \(shown(value))")
    }
  }

  /// What is expected, in words.
  private var wanted: String {
    switch expectation.condition {
    case .present: "present"
    case .absent: "absent"
    case .equals(let octets): hidden(octets)
    case .masked(let octets, let mask): "\(hidden(octets)) under the mask \(mask.hex)"
    case .length(let range):
      range.count == 1 ? range.lowerBound.bytes : "\(range.lowerBound) to \(range.upperBound) bytes"
    case .bit(_, _, _, let isSet): isSet ? "set" : "not set"
    case .field(_, _, _, let number): "\(number)"
    }
  }

  private func failure(_ exchange: Exchange?, _ part: String, _ expected: String, _ got: String) -> ScenarioFailure {
    let name = DataElement.named(expectation.tag)?.name ?? "unknown"
    return ScenarioFailure(exchange, "\(expectation.tag) \(name)\(part)", expected, got, tag: expectation.tag)
  }

  private func hidden(_ octets: [UInt8]) -> String { DataElement.text(of: expectation.tag, octets) }

  private func shown(_ octets: [UInt8]) -> String {
    // The structure of an unknown element is unknown, so no part of it can be masked alone.
    if DataElement.named(expectation.tag) == nil, AccountNumberSearch.mayHoldAccountNumber(octets) {
      return "(\(octets.count.bytes))"
    }
    return show(TLVNode(expectation.tag, octets), evidence.accountNumber)
  }
}
