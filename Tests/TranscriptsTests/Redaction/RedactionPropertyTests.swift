import EMVData
import EMVDecoding
import ISO7816
import Octets
import Testing
import Transcripts

/// Random recordings of a card with its number and name in every possible place.
struct RandomRecording {
  var generator: SplitMix64
  let pan: String
  let name: [UInt8]

  init(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let count = [13, 15, 16, 19].randomElement(using: &generator) ?? 16
    var body = count == 15 ? "37" : "4"
    while body.count < count - 1 { body += String(Int.random(in: 0...9, using: &generator)) }
    let candidates = (0...9).map { body + String($0) }
    pan = candidates.first { PrimaryAccountNumber(digits: $0)?.hasValidCheckDigit == true } ?? ""
    name = Array("SMITH\(count)/ANN".utf8)
    self.generator = generator
  }

  private var packed: [UInt8] { PrimaryAccountNumber(digits: pan)?.compressedNumeric ?? [] }

  private var track2: [UInt8] {
    let text = pan + "D" + "2512201" + "000123456789".prefix(37 - pan.count - 8)
    return (try? [UInt8](hex: text.count % 2 == 0 ? text : text + "F")) ?? []
  }

  private mutating func octets(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private mutating func leaf() -> [UInt8] {
    let written = Array(pan.utf8)
    let choices: [(ISO7816.Tag, [UInt8])] = [
      (0x5A, packed), (0x57, track2), (0x9F6B, track2),
      (0x56, Array("B\(pan)^".utf8) + name + Array("^2512201000".utf8)),
      (0x5F20, name), (0x9F10, octets(7)), (0x9F36, octets(2)), (0xDF31, octets(3) + packed + [0xFF]),
      (0xDF32, written),
      (0x9F1F, written), (0x50, Array("VISA".utf8)), (0x94, octets(8)), (0xDF33, [0x12] + packed),
    ]
    let (tag, value) = choices.randomElement(using: &generator) ?? (0x50, [])
    return tag.encoded + [UInt8(value.count)] + value
  }

  private mutating func template(_ depth: Int) -> [UInt8] {
    var content: [UInt8] = []
    while content.count < 60 {
      content += depth > 0 && Bool.random(using: &generator) ? template(depth - 1) : leaf()
      if Int.random(in: 0..<6, using: &generator) == 0 { content.append(0x00) }
    }
    let tag: [UInt8] =
      [[0x70], [0x77], [0xA5], [0xBF, 0x0C], [0xBF, 0x7F]].randomElement(using: &generator) ?? [0x70]
    return tag + (content.count < 0x80 ? [] : content.count < 0x100 ? [0x81] : [0x82, UInt8(content.count >> 8)])
      + [UInt8(content.count & 0xFF)] + content
  }

  mutating func transcript() -> Transcript {
    let exchanges = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      let isRecord = Bool.random(using: &generator)
      let command: [UInt8] =
        isRecord ? [0x00, 0xB2, 0x01, 0x0C, 0x00] : [0x80, 0xA8, 0x00, 0x00, 0x02, 0x83, 0x00, 0x00]
      var data = template(2)
      if isRecord, Int.random(in: 0..<5, using: &generator) == 0 { data = octets(4) + packed + octets(4) }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        data = Array(data.prefix(Int.random(in: 1...data.count, using: &generator)))
      }
      return Transcript.Exchange(
        command: command, response: data + [0x90, 0x00],
        notes: [.comment("PAN \(pan), \(String(decoding: name, as: UTF8.self))")])
    }
    return Transcript(exchanges: exchanges)
  }
}

@Suite("Redaction of random recordings")
struct RedactionPropertyTests {
  static let seeds = 0..<40 as Range<UInt64>

  @Test(arguments: seeds)
  func `redaction removes all numbers and names, keeps the structure, and is idempotent`(_ seed: UInt64)
    throws
  {
    for round in 0..<12 as Range<UInt64> {
      var source = RandomRecording(seed: seed * 1000 + round)
      let transcript = source.transcript()
      let redacted = transcript.redacted()
      let text = redacted.text
      let written = Array(source.pan.utf8).hex
      #expect(!text.contains(source.pan), "seed \(seed), round \(round)")
      #expect(!text.contains(written), "seed \(seed), round \(round)")
      // A masked number shows at most six digits in a row.
      #expect(!text.contains(source.pan.dropFirst(3).prefix(9)), "seed \(seed), round \(round)")
      #expect(!text.contains(Array("SMITH".utf8).hex), "seed \(seed), round \(round)")
      // Only names in responses of the card are known.
      #expect(!Self.givesName(transcript) || !text.contains("SMITH"), "seed \(seed), round \(round)")
      for (before, after) in zip(transcript.exchanges, redacted.exchanges) {
        #expect(before.command == after.command)
        #expect(before.response?.count == after.response?.count)
        #expect(before.response?.suffix(2) == after.response?.suffix(2))
        #expect(Self.keepsStructure(before, after), "seed \(seed), round \(round)")
      }
      #expect(redacted.redacted() == redacted, "seed \(seed), round \(round)")
      #expect(try Transcript(parsing: text) == redacted)
    }
  }

  static func givesName(_ transcript: Transcript) -> Bool {
    transcript.exchanges.contains { exchange in
      let node = DecodedNode(dataObjects: Array((exchange.response ?? []).dropLast(2)))
      return node.fault == nil && node.children.count == 1 && node.leaves.contains { $0.tag == .cardholderName }
    }
  }

  /// Well-formed responses keep tags and lengths; malformed ones keep the bytes before the first fault.
  static func keepsStructure(_ before: Transcript.Exchange, _ after: Transcript.Exchange) -> Bool {
    let trees = [before, after].map { DecodedNode(dataObjects: Array(($0.response ?? []).dropLast(2))) }
    guard trees[0].fault == nil, trees[0].children.count == 1 else { return true }
    return trees[0].all.map(\.tag) == trees[1].all.map(\.tag) && trees[0].all.map(\.range) == trees[1].all.map(\.range)
  }

  @Test(arguments: seeds)
  func `an account number has the same substitute in every data element`(_ seed: UInt64) throws {
    var source = RandomRecording(seed: seed)
    var numbers: Set<PrimaryAccountNumber> = []
    let transcript = source.transcript().redacted()
    for exchange in transcript.exchanges {
      let data = Array((exchange.response ?? []).dropLast(2))
      let nodes = DecodedNode(dataObjects: data)
      guard nodes.fault == nil else { continue }
      for leaf in nodes.leaves where leaf.tag == .primaryAccountNumber {
        numbers.insert(try #require(PrimaryAccountNumber(compressedNumeric: data[leaf.content])))
      }
      for leaf in nodes.leaves where leaf.tag == .track2EquivalentData {
        numbers.insert(try #require(Track2EquivalentData(Array(data[leaf.content]))).accountNumber)
      }
    }
    #expect(numbers.count <= 1)
    #expect(numbers.allSatisfy { $0.exposedDigits.hasPrefix("99999") && $0.exposedDigits.count == source.pan.count })
  }

  @Test(arguments: seeds)
  func `random bytes can be redacted`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let exchanges = (0..<4).map { _ in
        let commands: [[UInt8]] = [[0x00, 0xB2], [0x00, 0xC0], [0x80, 0xA8], [0x00, 0x20], [0x80, 0xAE], []]
        let start = commands.randomElement(using: &generator) ?? []
        let command =
          start
          + (0..<Int.random(in: 1...30, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let response = (0..<Int.random(in: 2...40, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        let status: [UInt8] = [[0x90, 0x00], [0x61, 0x10], [0x6A, 0x82], []].randomElement(using: &generator) ?? []
        return Transcript.Exchange(command: command, response: response + status)
      }
      let redacted = Transcript(exchanges: exchanges).redacted()
      #expect(redacted.redacted() == redacted)
      #expect(redacted.exchanges.map(\.command.count) == exchanges.map(\.command.count))
      #expect(redacted.exchanges.map(\.response?.count) == exchanges.map(\.response?.count))
    }
  }
}
