internal import EMVData
internal import ISO7816
internal import Octets

/// Reads the fields of a profile and collects what is wrong with them, so that one run tells all.
struct ProfileReader {
  private(set) var problems: [CardProfileError.Problem]

  init(_ problems: [CardProfileError.Problem] = []) {
    self.problems = problems
  }

  mutating func report(_ path: String, _ message: String) {
    problems.append(.init(path, message))
  }

  /// Hexadecimal octets of a permitted length; none when they are wrong.
  mutating func octets(_ text: String, _ path: String, _ counts: ClosedRange<Int>) -> [UInt8] {
    do throws(OctetsError) {
      let octets = try [UInt8](hex: text)
      guard !counts.contains(octets.count) else { return octets }
      let wanted =
        counts.lowerBound == counts.upperBound ? "\(counts.lowerBound)" : "\(counts.lowerBound)...\(counts.upperBound)"
      report(path, "\(octets.count) octets: \(wanted) are needed")
    } catch {
      report(path, "\(error)")
    }
    return []
  }

  /// A whole number within limits; the lower limit when it is wrong.
  mutating func number(_ value: Int, _ path: String, _ range: ClosedRange<Int>) -> Int {
    if range.contains(value) { return value }
    report(path, "\(value): the range is \(range.lowerBound)...\(range.upperBound)")
    return range.lowerBound
  }

  /// Data objects written as tag and value; the wrong ones are left out.
  ///
  /// - Parameter lengths: Of tags that mean something else to the kernel than the dictionary has.
  mutating func dataObjects(
    _ texts: [String], _ path: String, lengths: [Tag: ClosedRange<Int>] = [:]
  ) -> [TLVNode] {
    texts.enumerated().compactMap { dataObject($0.element, "\(path)[\($0.offset)]", lengths) }
  }

  private mutating func dataObject(
    _ text: String, _ path: String, _ lengths: [Tag: ClosedRange<Int>]
  ) -> TLVNode? {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let raw = UInt32(parts[0], radix: 16), Tag(rawValue: raw).isWellFormed else {
      // Not the text: what should be a tag may be an account number.
      report(path, "no tag of 2, 4 or 6 hexadecimal digits with a space behind it at its beginning")
      return nil
    }
    let tag = Tag(rawValue: raw)
    guard !tag.isConstructed else {
      report(path, "tag \(tag) is a template: give the data objects in it")
      return nil
    }
    let limits = lengths[tag] ?? DataElement.named(tag)?.lengths ?? 0...252
    let before = problems.count
    let value = octets(String(parts[1]), path, limits)
    return problems.count == before ? TLVNode(tag, value) : nil
  }

  func finish() throws(CardProfileError) {
    if !problems.isEmpty { throw CardProfileError(problems) }
  }
}
