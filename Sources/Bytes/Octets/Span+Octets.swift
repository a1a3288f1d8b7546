// The checked core of the byte path: only these functions copy runs of bytes, and load and store integers on it.

extension Span<UInt8> {
  /// A copy of the bytes in an array. Allocates, so it must not be used on the card's byte path.
  @inlinable
  public var array: [UInt8] {
    [UInt8](capacity: count) { output in
      for index in indices { output.append(self[index]) }
    }
  }

  /// A run of the bytes. Traps when it is not inside.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public func part(at offset: Int, count: Int) -> Span<UInt8> {
    // Compared without a sign, so that negative numbers are too large.
    precondition(
      UInt(bitPattern: offset) <= UInt(bitPattern: self.count)
        && UInt(bitPattern: count) <= UInt(bitPattern: self.count &- offset), "the span has no such run")
    // One check instead of those of a range and of its bounds.
    return unsafe extracting(unchecked: Range(uncheckedBounds: (offset, offset &+ count)))
  }

  /// Loads an integer in big-endian order from an offset. Traps when fewer bytes follow.
  @inlinable
  @inline(__always)
  public func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: Value.Type) -> Value {
    // The library checks the bounds; it marks the load as unsafe because not every byte pattern is a value of every
    // type. Every pattern is an integer.
    Value(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }

  /// Loads an unsigned integer of 1...8 bytes in big-endian order from an offset. Traps when fewer follow.
  @inlinable
  @inline(__always)
  public func integer(at offset: Int, count: Int) -> UInt64 {
    precondition(
      offset >= 0 && count >= 1 && count <= 8 && offset <= self.count && count <= self.count &- offset,
      "the span has no such integer")
    // One load of eight bytes where as many follow, instead of a loop.
    if self.count &- offset >= 8 { return integer(at: offset, as: UInt64.self) >> UInt64(64 &- 8 &* count) }
    var value: UInt64 = 0
    for index in offset..<offset &+ count { value = value << 8 | UInt64(self[index]) }
    return value
  }

  /// Whether both spans hold the same bytes. Stops at the first difference, so it must not compare secrets: see
  /// `constantTimeEqual`.
  @inlinable
  @inline(__always)
  public func holdsSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // The last load overlaps the one before it, so that no byte is left over. Names of 4 to 16 bytes take two loads
    // each instead of a loop over bytes: a selection takes 80 instructions less.
    if count >= 8 { return holdsSame(as: other, by: UInt64.self) }
    if count >= 4 { return holdsSame(as: other, by: UInt32.self) }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  @inlinable
  @inline(__always)
  func holdsSame<Word: FixedWidthInteger & BitwiseCopyable>(as other: Span<UInt8>, by word: Word.Type) -> Bool {
    let last = count &- MemoryLayout<Word>.size
    var offset = 0
    while offset < last {
      if integer(at: offset, as: word) != other.integer(at: offset, as: word) { return false }
      offset &+= MemoryLayout<Word>.size
    }
    return integer(at: last, as: word) == other.integer(at: last, as: word)
  }

  /// Whether the bytes begin with those of another span.
  @inlinable
  @inline(__always)
  public func starts(with prefix: Span<UInt8>) -> Bool {
    prefix.count <= count && extracting(first: prefix.count).holdsSame(as: prefix)
  }
}

extension MutableRawSpan {
  /// Copies bytes to an offset. Traps when they do not fit: the caller must check the room first.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func copy(_ source: Span<UInt8>, to offset: Int) {
    precondition(
      offset >= 0 && offset <= byteCount && source.count <= byteCount &- offset,
      "the destination has no room for the bytes")
    // Both ranges were checked above, and an exclusive span cannot overlap a borrowed one.
    unsafe source.withUnsafeBufferPointer { from in
      unsafe withUnsafeMutableBytes { to in
        guard let start = from.baseAddress, let base = to.baseAddress else { return }
        unsafe (base + offset).copyMemory(from: start, byteCount: from.count)
      }
    }
  }

  /// Stores an integer in big-endian order at an offset. Traps when it does not fit.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: Value.self)
  }
}

extension [UInt8] {
  /// Lends the array's bytes for writing in place.
  @inlinable
  public mutating func withMutableOctets<Result, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var elements = mutableSpan
    // Any byte pattern is a valid element.
    var octets = unsafe elements.mutableBytes
    return try body(&octets)
  }
}
