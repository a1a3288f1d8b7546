import Links
import Octets
import Testing

@testable import PCSCReader

struct ACR122FrameTests {
  @Test(
    arguments: [
      ([0x02], "FF00000002D402"),
      ([0x40, 0x01] + [UInt8](repeating: 7, count: 252), "FF000000FFD44001" + String(repeating: "07", count: 252)),
    ] as [([UInt8], String)])
  func `a Direct Transmit frame has the length, D4 and the command`(command: [UInt8], frame: String) {
    #expect(ACR122Frame.transmit(command).hex == frame)
  }

  @Test(
    arguments: [
      ("D503320106079000", .data([0x32, 0x01, 0x06, 0x07])),
      ("D5039000", .data([])),
      ("6108", .announced(8)),
      ("6300", .silent),
      ("6301", .silent),
      ("6327", .refused),
      ("637F", .refused),
      ("9000", .refused),
      ("D5059000", .refused),
      ("D403329000", .refused),
      ("D50332", .refused),
      ("D5033201060790", .refused),
      ("90", .refused),
      ("", .refused),
    ] as [(String, ACR122Frame.Answer)])
  func `an answer is data, an announcement, a timeout or refused`(octets: String, answer: ACR122Frame.Answer) throws {
    let octets = try [UInt8](hex: octets)
    #expect(ACR122Frame.answer(octets, to: [0x02]) == answer)
  }

  @Test func `an answer that is cut or has a changed byte does not trap`() {
    let whole: [UInt8] = [0xD5, 0x4B, 0x01, 0x01, 0x00, 0x04, 0x20, 0x04, 1, 2, 3, 4, 0x02, 0x75, 0x90, 0x00]
    for end in 0...whole.count {
      for octet: UInt8 in [0x00, 0x7F, 0xFF] {
        for place in 0..<end {
          var octets = Array(whole[..<end])
          octets[place] = octet
          if case .data(let data) = ACR122Frame.answer(octets, to: [0x4A]) { _ = PN532InitiatorCommands.card(in: data) }
        }
      }
      _ = PN532InitiatorCommands.card(in: Array(whole[..<end]))
    }
  }

  @Test(
    arguments: [
      ("0101000420 04 01020304 05 75339203 00", "01020304", ""),
      ("0101000420 04 01020304 07 75339203 4142 00", "01020304", "4142"),
      ("0101004420 07 01020304050607 01", "01020304050607", ""),
    ] as [(String, String, String)])
  func `a card is parsed with its UID and historical bytes`(
    data: String, identifier: String, history: String
  ) throws {
    let octets = try [UInt8](hex: data)
    let card = try #require(PN532InitiatorCommands.card(in: octets))
    #expect(card.identifier.hex == identifier)
    #expect(card.historicalBytes.hex == history)
  }

  @Test(arguments: [("", false), ("00", false), ("01", false), ("02", true)])
  func `two cards in the field are counted before one of them is read`(data: String, isSeveral: Bool) throws {
    let card = "01000420 04 01020304 05 75339203 00"
    let octets = try [UInt8](hex: data.isEmpty ? "" : data + card)
    #expect(PN532InitiatorCommands.hasSeveralCards(octets) == isSeveral)
  }

  @Test(arguments: ["", "00", "0101000408 04 01020304 0275", "0101000420 04 01020304", "0101000420 04 01020304 0375"])
  func `an answer without a card, without ISO-DEP or cut short is nil`(data: String) throws {
    let octets = try [UInt8](hex: data)
    #expect(PN532InitiatorCommands.card(in: octets) == nil)
  }

  @Test(
    arguments: [
      (0x00, nil), (0x40, nil), (0x80, nil), (0x01, .cardRemoved), (0x41, .cardRemoved), (0x02, .cardRemoved),
      (0x0B, .cardRemoved), (0x13, .cardRemoved), (0x29, .cardRemoved), (0x07, .transmissionFailed),
      (0x0E, .transmissionFailed), (0x27, .transmissionFailed), (0x3F, .transmissionFailed),
    ] as [(UInt8, LinkError.Code?)])
  func `a status byte of the chip becomes a link error`(status: UInt8, code: LinkError.Code?) {
    #expect(PN532InitiatorCommands.failure(status) == code)
  }
}
