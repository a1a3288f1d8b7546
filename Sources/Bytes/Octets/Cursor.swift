/// A position in bytes that moves forward, and only when a read succeeds.
///
/// A cursor cannot be copied and cannot outlive the bytes that it reads.
public struct Cursor: ~Copyable, ~Escapable {
  @usableFromInline let octets: Span<UInt8>
  /// The offset of the next byte.
  @usableFromInline var next = 0

  /// Creates a cursor at the first byte.
  @inlinable
  @_lifetime(copy octets)
  public init(_ octets: Span<UInt8>) {
    self.octets = octets
  }

  /// The offset of the next byte, from the start of the input.
  @inlinable
  public var position: Int { next }

  /// The number of bytes that are left.
  @inlinable
  public var remaining: Int { octets.count - next }

  /// Whether all bytes have been read.
  @inlinable
  public var isAtEnd: Bool { next == octets.count }

  /// Reads one byte.
  @inlinable
  public mutating func octet() throws(OctetsError) -> UInt8 {
    guard next < octets.count else { throw OctetsError(.truncated(needed: 1, available: 0), at: next) }
    defer { next += 1 }
    return octets[next]
  }

  /// Reads a big-endian 16-bit integer.
  @inlinable
  public mutating func uint16() throws(OctetsError) -> UInt16 {
    guard remaining >= 2 else { throw OctetsError(.truncated(needed: 2, available: remaining), at: next) }
    defer { next += 2 }
    return UInt16(octets[next]) << 8 | UInt16(octets[next + 1])
  }

  /// Reads a run of bytes.
  @inlinable
  @_lifetime(copy self)
  public mutating func take(_ count: Int) throws(OctetsError) -> Span<UInt8> {
    guard count >= 0, count <= remaining else {
      throw OctetsError(.truncated(needed: count, available: remaining), at: next)
    }
    let run = octets.extracting(next..<next + count)
    next += count
    return run
  }

  /// Skips a run of bytes.
  @inlinable
  public mutating func skip(_ count: Int) throws(OctetsError) {
    _ = try take(count)
  }

  /// Throws when bytes are left. Call it at the end of a value that must fill its input.
  @inlinable
  public consuming func finish() throws(OctetsError) {
    guard isAtEnd else { throw OctetsError(.trailing(count: remaining), at: next) }
  }
}
