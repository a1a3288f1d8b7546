public import Octets

extension [UInt8] {
  /// A copy with some random changes: a byte replaced, a part removed or doubled, a snippet inserted. Never empty.
  ///
  /// - Parameters:
  ///   - snippets: Texts that have a meaning in the format.
  ///   - most: The most changes.
  public func mutated(with snippets: [String], most: Int, using generator: inout SplitMix64) -> [UInt8] {
    var octets = self
    for _ in 0..<Int.random(in: 1...most, using: &generator) {
      let start = Int.random(in: 0..<octets.count, using: &generator)
      let end = Swift.min(octets.count, start + Int.random(in: 0...12, using: &generator))
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: octets[start] = UInt8.random(in: 0...255, using: &generator)
      case 1: octets.removeSubrange(start..<end)
      case 2: octets.insert(contentsOf: (snippets.randomElement(using: &generator) ?? "").utf8, at: start)
      default: octets.insert(contentsOf: octets[start..<end], at: start)
      }
      if octets.isEmpty { octets = [0x0A] }
    }
    return octets
  }
}
