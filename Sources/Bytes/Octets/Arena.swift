/// An immutable block of bytes on the heap, shared by reference.
///
/// A card image keeps all its prepared responses in one arena, so that the byte path reads spans of them without
/// changing a reference count.
@safe
public final class Arena: @unchecked Sendable {
  // @unchecked: nothing writes to the storage after the initialiser. Visible to inlined code, since a call for each span
  // costs more than the span's check.
  @usableFromInline let storage: UnsafePointer<UInt8>
  /// The number of bytes.
  public let count: Int

  /// Copies bytes into a new arena.
  public init(_ octets: [UInt8]) {
    let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(octets.count, 1))
    _ = unsafe block.initialize(from: octets)
    guard let base = block.baseAddress else {
      preconditionFailure("a block of one byte or more has an address")
    }
    unsafe storage = UnsafePointer(base)
    count = octets.count
  }

  deinit { unsafe storage.deallocate() }

  /// All bytes.
  @inlinable
  public var octets: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // The storage exists as long as self, which the span borrows.
      let span = unsafe Span(_unsafeStart: storage, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

/// The place of a run of bytes in an arena.
public struct ArenaSlice: Hashable, Sendable {
  // Two bytes each: the tables of a card are read at every command, and half of their size is that of slices.
  @usableFromInline let start: UInt16
  @usableFromInline let length: UInt16

  /// The offset of the first byte.
  @inlinable
  public var offset: Int { Int(start) }
  /// The number of bytes.
  @inlinable
  public var count: Int { Int(length) }

  /// Creates a slice. The arena checks the bounds when it reads the slice. Traps for numbers outside of 0...65535.
  @inlinable
  public init(offset: Int, count: Int) {
    start = UInt16(offset)
    length = UInt16(count)
  }

  /// The empty slice.
  public static let none = ArenaSlice(offset: 0, count: 0)
}

extension Arena {
  /// The bytes of a slice. Traps when the slice is not inside the arena.
  @inlinable
  public subscript(slice: ArenaSlice) -> Span<UInt8> {
    @_lifetime(borrow self) @inline(__always)
    get {
      // Both numbers are below 65536, so that their sum cannot wrap. One check instead of the five of a range.
      precondition(slice.offset &+ slice.count <= count, "the slice is not inside the arena")
      let span = unsafe Span(_unsafeStart: storage + slice.offset, count: slice.count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}
