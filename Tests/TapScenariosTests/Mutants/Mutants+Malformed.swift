import ISO7816

/// Responses that cannot be parsed, and what a terminal may make of them; responses that come late or not at all.
extension Mutant {
  static let malformed: [Mutant] = [
    Mutant(
      fault: "unreadable directory replaced",
      response: { response, command, _ in
        guard command.selectsDirectory, response.isUnreadable else { return response }
        let entry = TLVNode(0x61, [TLVNode(0x4F, visa), TLVNode(0x87, [0x01])])
        let name = TLVNode(0x84, Array("2PAY.SYS.DDF01".utf8))
        return TLVNode(0x6F, [name, TLVNode(0xA5, [TLVNode(0xBF0C, [entry])])]).encoded + [0x90, 0x00]
      }),
    Mutant(
      fault: "unreadable response to SELECT accepted",
      response: { response, command, _ in
        guard command.selectsApplication, response.isUnreadable else { return response }
        let list: Bytes = [0x9F, 0x66, 0x04, 0x9F, 0x02, 0x06, 0x9F, 0x37, 0x04, 0x5F, 0x2A, 0x02]
        let template = TLVNode(0xA5, [TLVNode(0x50, [0x56]), TLVNode(0x9F38, list)])
        return TLVNode(0x6F, [TLVNode(0x84, visa), template]).encoded + [0x90, 0x00]
      }),
    taking("unreadable options accepted", 0xA8) { response, _ in response.isUnreadable ? madeUpOptions : response },
    Mutant(
      fault: "unreadable cryptogram asked for again",
      further: { command, response, _ in command.instruction == 0xAE && response.isUnreadable ? [command] : [] }),
    Mutant(fault: "late response of the card not waited for", patience: .milliseconds(300)),
    Mutant(
      fault: "loss of the card in READ RECORD taken for a refusal",
      responseAtLoss: { $0.instruction == 0xB2 ? [0x6F, 0x00] : nil }),
    Mutant(fault: "lost cryptogram replaced", responseAtLoss: { $0.instruction == 0xAE ? madeUpCryptogram : nil }),
  ]

  /// Options of a card of kernel 3 that no key has made.
  private static let madeUpOptions: Bytes =
    TLVNode(
      0x77,
      [
        TLVNode(0x82, [0x00, 0x40]), TLVNode(0x94, [0x08, 0x01, 0x01, 0x00]), TLVNode(0x9F36, [0x00, 0x01]),
        TLVNode(0x9F26, Bytes(repeating: 0x11, count: 8)), TLVNode(0x9F10, [0x06, 0x01, 0x0A, 0x03, 0xA0, 0x00, 0x00]),
        TLVNode(0x9F6C, [0x00, 0x80]), TLVNode(0x57, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10, 0xD3, 0x01]),
      ]
    ).encoded + [0x90, 0x00]
  /// A request for authorization that no key has made.
  private static let madeUpCryptogram: Bytes =
    TLVNode(
      0x77,
      [
        TLVNode(0x9F27, [0x80]), TLVNode(0x9F36, [0x00, 0x01]), TLVNode(0x9F26, Bytes(repeating: 0x11, count: 8)),
        TLVNode(0x9F10, Bytes(repeating: 0x00, count: 18)),
      ]
    ).encoded + [0x90, 0x00]
  private static let visa: Bytes = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
}

extension [UInt8] {
  /// Whether a response with status word 9000 has data that cannot be parsed.
  var isUnreadable: Bool {
    let data = Array(dropLast(2))
    return status == [0x90, 0x00] && !data.isEmpty && (try? [TLVNode](parsing: data.span)) == nil
  }
}
