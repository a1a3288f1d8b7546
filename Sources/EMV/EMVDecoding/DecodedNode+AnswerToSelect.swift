internal import ISO7816
internal import Octets

extension DecodedNode {
  /// Decodes an answer to select (ATS) with its length byte; bytes that are not one give a single fault node.
  public init(answerToSelect octets: [UInt8]) {
    let whole = 0..<octets.count
    do throws(OctetsError) {
      let answer = try AnswerToSelect(parsing: octets.span)
      self.init(.group, "answer to select", range: whole, children: Self.fields(octets, answer))
    } catch {
      let fault = DecodedNode(.fault, "malformed", "the ATS is malformed: \(error)", range: whole)
      self.init(.group, "answer to select", range: whole, children: [fault])
    }
  }

  /// The bytes of an answer to select in words (ISO/IEC 14443-4:2018, 5.2).
  private static func fields(_ octets: [UInt8], _ answer: AnswerToSelect) -> [DecodedNode] {
    var fields = [DecodedNode(.field, "TL", "\(octets[0].hex) \(octets.count.bytes)", range: 0..<1)]
    guard octets.count > 1 else { return fields }
    let format = octets[1]
    let frame = "\(format.hex) frames of \(answer.frameSize.bytes) (FSCI \(format & 0x0F))"
    fields.append(DecodedNode(.field, "T0", frame, range: 1..<2))
    var end = 2
    let characters: [(bit: UInt8, name: String, words: (UInt8) -> String)] = [
      (0x10, "TA", rates), (0x20, "TB", waitingTimes), (0x40, "TC", options),
    ]
    for character in characters where format & character.bit != 0 {
      fields.append(
        DecodedNode(
          .field, character.name, "\(octets[end].hex) \(character.words(octets[end]))", range: end..<end + 1))
      end += 1
    }
    if end < octets.count {
      fields.append(DecodedNode(.octets, "historical bytes", octets[end...].hex, range: end..<octets.count))
    }
    return fields
  }

  private static func rates(_ octet: UInt8) -> String {
    func list(_ bits: UInt8) -> String {
      let faster = [(1, "212"), (2, "424"), (4, "848")].filter { bits & UInt8($0.0) != 0 }.map(\.1)
      return (["106"] + faster).joined(separator: ", ")
    }
    let equal = octet & 0x80 != 0 ? ", the same in both directions" : ""
    return "kbit/s from the card \(list(octet >> 4 & 0x07)); to the card \(list(octet & 0x07))" + equal
  }

  private static func waitingTimes(_ octet: UInt8) -> String { "FWI \(octet >> 4), SFGI \(octet & 0x0F)" }

  private static func options(_ octet: UInt8) -> String {
    let found = [octet & 0x02 != 0 ? "CID" : nil, octet & 0x01 != 0 ? "NAD" : nil].compactMap(\.self)
    return found.isEmpty ? "neither CID nor NAD" : found.joined(separator: " and ")
  }
}
