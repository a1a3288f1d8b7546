import EMVData
import EMVDecoding
import ISO7816
import Octets
import Testing

@Suite("Bytes of unknown kind")
struct DecodedGuessTests {
  @Test(
    arguments: [
      ("00A4040007A000000003101000", .command), ("80A8000002830000", .command), ("00B2011C00", .command),
      ("FFCA000000", .command), ("9000", .response), ("6A82", .response), ("6F00", .response),
      ("6F0B8407A0000000031010A5009000", .response), ("6F0B8407A0000000031010A500", .dataObjects),
      ("9F3602002D", .dataObjects), ("DF200180", .dataObjects), ("9F3602", .dataObjectList), ("9F360200", .dataObjects),
      ("9F66049F02069F03069F1A0295055F2A029A039C019F3704", .dataObjectList), ("9F37049A03", .dataObjectList),
      ("3B8F8001804F0CA000000306030001000000006A", .answerToReset), ("3B00", .answerToReset),
      ("0578807002", .answerToSelect), ("067577810280", .answerToSelect), ("00B2010C0000", .command),
      ("00A40400000E325041592E5359532E44444630310000", .command),
      ("3B8F8001804F0CA0000003060300010000000000", .answerToReset),
      ("3B6500002063CB6800", .answerToReset), ("", .unknown), ("FF", .unknown), ("A0000000031010", .unknown),
    ] as [(String, DecodedGuess.Kind)])
  func `bytes are decoded as the kind that fits best`(_ hex: String, _ kind: DecodedGuess.Kind) throws {
    let guess = DecodedGuess(try [UInt8](hex: hex))
    #expect(guess.kind == kind)
    #expect(guess.description.hasPrefix("taken for \(kind.rawValue)\n"))
  }

  @Test func `bytes that are known data objects and a known command have both kinds, the likelier first`() throws {
    let object = DecodedGuess(try [UInt8](hex: "9F2A012A"))
    #expect(object.kind == .dataObjects && object.others == [.command])
    #expect(object.description.hasPrefix("taken for TLV (or C-APDU)\n") && object.description.contains("9F2A "))
    // The class of a command of payment cards, and a DF name of no form that a card has.
    let command = DecodedGuess(try [UInt8](hex: "8482000010" + String(repeating: "00", count: 16)))
    #expect(command.kind == .command)
    #expect(DecodedGuess(try [UInt8](hex: "00A40400")).others.isEmpty)
  }

  @Test(
    arguments: [
      ("9F2A012A", .command, "CLA: 9F"), ("9F3704", .dataObjects, "malformed"), ("9F3704", .dataObjectList, "9F37"),
      ("3B00", .response, "no status word"), ("3B00", .answerToReset, "TS: 3B"), ("6F00", .answerToReset, "malformed"),
      ("0578807002", .answerToSelect, "FSCI 8"), ("9000", .answerToSelect, "malformed"), ("00", .command, "malformed"),
    ] as [(String, DecodedGuess.Kind, String)])
  func `bytes are decoded as the kind that is asked for, or malformed with a reason`(
    _ hex: String, _ kind: DecodedGuess.Kind, _ line: String
  ) throws {
    let guess = DecodedGuess(try [UInt8](hex: hex), as: kind)
    #expect(guess.kind == kind && guess.others.isEmpty)
    #expect(guess.description.contains(line), "\(guess)")
  }

  @Test(arguments: DecodedGuess.Kind.known)
  func `a PIN is not shown, whatever the bytes are read as`(_ kind: DecodedGuess.Kind) throws {
    let octets = try [UInt8](hex: "0020008008241234FFFFFFFFFF")
    #expect(!DecodedGuess(octets, as: kind, unmasked: true).description.contains("1234"))
  }

  @Test func `each kind can be the best fit`() {
    #expect(Set(DecodedGuess.Kind.allCases).count == 7)
  }

  @Test func `an answer to reset is shown character by character`() throws {
    let node = DecodedNode(answerToReset: try [UInt8](hex: "3B8F8001804F0CA000000306030001000000006A"))
    #expect(node.text == "T=0, T=1")
    #expect(node.children.map(\.label) == ["TS", "T0", "TD1", "TD2", "historical bytes", "TCK"])
    #expect(node.children.map(\.range.upperBound).last == 20)
    #expect(DecodedNode(answerToReset: [0x3C]).fault != nil)
    #expect(DecodedNode(answerToReset: []).fault != nil)
  }

  @Test(arguments: [
    ("9F37049A03", 2, true), ("9F37049A", 1, false), ("9A80", 1, true), ("9F80", 0, false), ("", 0, true),
  ])
  func `a list is shown entry by entry up to the first error`(_ hex: String, _ entries: Int, _ isWhole: Bool) throws {
    let node = DecodedNode(dataObjectList: try [UInt8](hex: hex))
    #expect(node.children.filter { $0.kind == .object }.count == entries)
    #expect((node.fault == nil) == isWhole)
  }

  @Test func `an account number among unknown bytes is not shown`() throws {
    let octets = try [UInt8](hex: "F14761739001010010AA")
    #expect(!DecodedGuess(octets).description.contains("4761"))
    #expect(DecodedGuess(octets, unmasked: true).description.contains("4761739001010010"))
  }

  @Test(arguments: 0..<16 as Range<UInt64>)
  func `any bytes have a kind, and all nodes are inside them`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let starts: [[UInt8]] = [
      [], [0x00, 0xA4], [0x80, 0xA8], [0x6F], [0x70], [0x77], [0x3B], [0x9F], [0x00, 0x20], [0x80],
    ]
    for _ in 0..<1000 {
      let start = starts.randomElement(using: &generator) ?? []
      let rest = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
      }
      let octets = start + rest
      let nodes = [
        DecodedGuess(octets).node, DecodedNode(dataObjects: octets), DecodedNode(dataObjectList: octets),
        DecodedNode(answerToReset: octets), DecodingContext().decoded(command: octets),
        DecodingContext().decoded(response: octets, to: [0x00, 0xB2, 0x01, 0x0C, 0x00]),
        DecodingContext().decoded(response: octets, to: [0x80, 0xA8, 0x00, 0x00]),
      ]
      for node in nodes.flatMap(\.all) {
        #expect(node.range.lowerBound >= 0 && node.range.upperBound <= octets.count)
        #expect(node.content.lowerBound >= node.range.lowerBound && node.content.upperBound <= node.range.upperBound)
      }
    }
  }

  @Test func `the path to a byte ends at the deepest node that contains it`() throws {
    let node = DecodedNode(dataObjects: try [UInt8](hex: "6F0B8407A0000000031010A500"))
    #expect(node.path(to: 4).map(\.tag) == [.fciTemplate, .dfName])
    #expect(node.path(to: 0).map(\.tag) == [.fciTemplate])
    #expect(node.path(to: 13) == [])
  }
}
