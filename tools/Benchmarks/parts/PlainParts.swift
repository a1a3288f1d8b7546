import CPlainParts
import EMVCard
import ISO7816
import Octets

/// The walk through the data objects of a card, in Swift and in C.
struct DataObjectWalk {
  /// The answer to SELECT and the records, without their status words.
  private let octets: [UInt8]

  init(_ image: CardImage) {
    var card = Card(image: image)
    let responses = PaymentStep.all.dropLast().map { step in
      var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = buffer.withMutableOctets {
        card.respond(to: step.command.span, at: Instant(nanoseconds: 0), into: &$0)
      }
      return Array(buffer[..<(count - 2)])
    }
    octets = Array(responses.joined())
  }

  /// The number of octets, which both walks have to visit.
  var count: Int { octets.count }

  /// Walks several times. Returns the number of octets of all primitive values; -1 for octets that are not BER-TLV.
  func walk(times: Int) -> Int {
    var sum = 0
    var iteration = 0
    while iteration < times {
      do throws(TLVError) { sum = try Self.primitiveOctets(of: octets.span, depth: 0) } catch { return -1 }
      iteration &+= 1
    }
    return sum
  }

  /// As `walk`, in C.
  func plainWalk(times: Int) -> Int { plain_tlv_repeat(octets, octets.count, times) }

  @inline(never)
  private static func primitiveOctets(of octets: Span<UInt8>, depth: Int) throws(TLVError) -> Int {
    guard depth <= 8 else { throw TLVError(.tooDeep(limit: 8), at: 0) }
    var reader = TLVReader(octets)
    var sum = 0
    while let object = try reader.next() {
      sum &+=
        object.isConstructed
        ? try primitiveOctets(
          of: octets.part(at: object.valueOffset, count: object.valueCount), depth: depth &+ 1)
        : object.valueCount
    }
    return sum
  }
}

/// The cryptogram of the payment with nettle alone, without a card.
enum BareCryptogram {
  static func prepare() { plain_cryptogram_prepare([UInt8](repeating: 0x5A, count: 16)) }

  @inline(never)
  static func compute() -> UInt64 { plain_cryptogram(0x0001_0000_52BF_4585, message, message.count) }

  /// As many octets as GENERATE AC signs.
  private static let message = [UInt8](repeating: 0xA5, count: 39)
}
