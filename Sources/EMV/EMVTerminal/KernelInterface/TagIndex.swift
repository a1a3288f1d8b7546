internal import ISO7816

/// A hash table from tags to their positions in a list: a search in it takes a third of the instructions of a search by
/// halves, and a terminal searches for every entry of a data object list.
struct TagIndex: Hashable, Sendable {
  // A power of two, at least twice the number of tags, so that there are empty slots. -1 is empty.
  private var slots: [Int32]
  private let shift: UInt32

  /// Creates the index of tags, each of which occurs once.
  init(_ tags: [Tag]) {
    let bits = max(3, UInt32(Int.bitWidth - (2 * tags.count).leadingZeroBitCount))
    shift = 32 - bits
    slots = [Int32](repeating: -1, count: 1 << bits)
    for (position, tag) in tags.enumerated() {
      var slot = first(tag)
      while slots[slot] >= 0 { slot = (slot &+ 1) & (slots.count &- 1) }
      slots[slot] = Int32(position)
    }
  }

  /// Returns the position of a tag, or nil.
  ///
  /// - Parameter tags: The tags of which this is the index.
  @inline(__always)
  func position(of tag: Tag, in tags: [Tag]) -> Int? {
    var slot = first(tag)
    while true {
      let position = Int(slots[slot])
      if position < 0 { return nil }
      if tags[position] == tag { return position }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }

  /// The slot in which the search for a tag begins (Knuth's multiplicative hash).
  @inline(__always)
  private func first(_ tag: Tag) -> Int { Int((tag.rawValue &* 0x9E37_79B1) &>> shift) }
}
