// The checked core of the byte path: only these functions copy runs of octets and store integers on it.

extension Span<UInt8> {
  /// A copy of the octets in an array. Allocates, so it must not be used on the card's byte path.
  @inlinable
  public var array: [UInt8] {
    [UInt8](capacity: count) { output in
      for index in indices { output.append(self[index]) }
    }
  }

  /// Whether both spans hold the same octets. Stops at the first difference, so it must not compare secrets: see
  /// `constantTimeEqual`.
  @inlinable
  public func holdsSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// Whether the octets begin with those of another span.
  @inlinable
  public func starts(with prefix: Span<UInt8>) -> Bool {
    prefix.count <= count && extracting(0..<prefix.count).holdsSame(as: prefix)
  }
}

extension MutableRawSpan {
  /// Copies octets to an offset. Traps when they do not fit: the caller must check the room first.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func copy(_ source: Span<UInt8>, to offset: Int) {
    precondition(
      offset >= 0 && offset <= byteCount && source.count <= byteCount &- offset,
      "the destination has no room for the octets")
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

  /// Overwrites every octet.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func fill(with octet: UInt8) {
    for offset in 0..<byteCount { storeBytes(of: octet, toByteOffset: offset, as: UInt8.self) }
  }
}

extension [UInt8] {
  /// Lends the array's octets for writing in place.
  @inlinable
  public mutating func withMutableOctets<Result, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var elements = mutableSpan
    // Any octet pattern is a valid element.
    var octets = unsafe elements.mutableBytes
    return try body(&octets)
  }
}
