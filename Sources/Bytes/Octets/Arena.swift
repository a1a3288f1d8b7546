/// A fixed block of octets on the heap that is shared by reference and never moves or changes.
///
/// A card image keeps all its ready-made responses in one arena, so that the byte path reads spans of it
/// without touching a reference count.
@safe
public final class Arena: @unchecked Sendable {
  // @unchecked: nothing writes to the storage after init.
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
      // The block lives as long as self, which the span borrows.
      let span = unsafe Span(_unsafeElements: storage)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}

/// Where a run of octets lies in an arena.
public struct ArenaSlice: Hashable, Sendable {
  /// The offset of the first octet.
  public let offset: Int
  /// The number of octets.
  public let count: Int

  /// Creates a slice; whether the arena has it is checked when it is read.
  @inlinable
  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }

  /// No octets.
  public static let none = ArenaSlice(offset: 0, count: 0)
}

extension Arena {
  /// A run of octets. Traps outside the arena.
  @inlinable
  public subscript(slice: ArenaSlice) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { octets.extracting(slice.offset..<slice.offset + slice.count) }
  }
}
