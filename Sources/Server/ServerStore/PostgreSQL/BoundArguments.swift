/// The arguments of a statement in the form of libpq.
struct BoundArguments {
  /// The bytes of all arguments. A text, and a number in decimal, ends with the byte zero.
  private var octets: [UInt8] = []
  /// Where each argument begins; nil for NULL.
  private var starts: [Int?] = []
  private(set) var lengths: [Int32] = []
  /// 1 for the binary format.
  private(set) var formats: [Int32] = []

  init(_ values: [SQLValue]) {
    for value in values {
      switch value {
      case .null: add(nil, format: 0)
      case .integer(let integer): add(Array("\(integer)".utf8) + [0], format: 0)
      case .text(let text): add(Array(text.utf8) + [0], format: 0)
      // An empty buffer may have no address, and libpq reads that as NULL.
      case .octets(let octets): add(octets + [0], format: 1)
      }
    }
  }

  private mutating func add(_ argument: [UInt8]?, format: Int32) {
    starts.append(argument.map { _ in octets.count })
    lengths.append(argument.map { Int32($0.count) - 1 } ?? 0)
    formats.append(format)
    octets += argument ?? []
  }

  /// Calls a function with the address of each argument.
  func withAddresses<Value>(_ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
    unsafe octets.withUnsafeBytes { buffer in
      unsafe body(
        starts.map { start in
          guard let start, let base = buffer.baseAddress else { return nil }
          return unsafe (base + start).assumingMemoryBound(to: CChar.self)
        })
    }
  }
}
