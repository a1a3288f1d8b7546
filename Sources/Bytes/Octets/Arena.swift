/// An immutable block of octets on the heap, shared by reference.
///
/// A card image keeps all its prepared responses in one arena, so that the byte path reads spans of them without
/// changing a reference count.
@safe
public final class Arena: @unchecked Sendable {
  // @unchecked: nothing writes to the storage after the initialiser.
  private let storage: UnsafeBufferPointer<UInt8>

  /// Copies octets into a new arena.
  public init(_ octets: [UInt8]) {
    let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: octets.count)
    _ = unsafe block.initialize(from: octets)
    unsafe storage = UnsafeBufferPointer(block)
  }

  deinit { unsafe storage.deallocate() }

  /// All octets.
  public var octets: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // The storage exists as long as self, which the span borrows.
      let span = unsafe Span(_unsafeElements: storage)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

/// The place of a run of octets in an arena.
public struct ArenaSlice: Hashable, Sendable {
  /// The offset of the first octet.
  public let offset: Int
  /// The number of octets.
  public let count: Int

  /// Creates a slice. The arena checks the bounds when it reads the slice.
  @inlinable
  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  /// The empty slice.
  public static let none = ArenaSlice(offset: 0, count: 0)
}

extension Arena {
  /// The octets of a slice. Traps when the slice is not inside the arena.
  @inlinable
  public subscript(slice: ArenaSlice) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { octets.extracting(slice.offset..<slice.offset + slice.count) }
  }
}
