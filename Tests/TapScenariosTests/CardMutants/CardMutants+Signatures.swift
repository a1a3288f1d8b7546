import ISO7816

/// Offline data authentication, and the random numbers of the card.
extension CardMutant {
  static let signatures: [CardMutant] = [
    changing("record that differs from what is signed", 0xB2, 0x9F07) {
      $0 == [0xC0, 0x80] ? [0xC0, 0x81] : $0
    },
    changing("record that differs from what is signed, kernel 2", 0xB2, 0x9F07) {
      $0 == [0xFF, 0x00] ? [0xFF, 0x01] : $0
    },
    changing("broken signature of the options", 0xA8, 0x9F4B) { $0.with($0[10] ^ 0x01, at: 10) },
    changing("broken signature of GENERATE AC", 0xAE, 0x9F4B) { $0.with($0[10] ^ 0x01, at: 10) },
    changing("certificate of the card left out", 0xB2, 0x9F46) { _ in nil },
    changing("certificate of the issuer left out", 0xB2, 0x90) { _ in nil },
    changing("index of the authority left out", 0xB2, 0x8F) { _ in nil },
    changing("tag list of other data", 0xB2, 0x9F4A) { _ in [0x82, 0x94] },
    changing("number of the card left out", 0xA8, 0x9F69) { _ in nil },
    changing("version of the signature changed", 0xA8, 0x9F69) { $0.with(0x02, at: 0) },
    changing("signature left out", 0xA8, 0x9F4B) { _ in nil },
    CardMutant(fault: "constant unpredictable number of the card", random: { ConstantRandomSource() }),
    CardMutant(
      fault: "the same signature again",
      response: { response, command, memory in
        guard command.instruction == 0xAE, let signature = response.object(0x9F4B) else { return response }
        let first = memory["signature"] ?? signature
        memory["signature"] = first
        return response.changingObject(0x9F4B) { _ in first }
      }),
    CardMutant(
      fault: "no signature although it is asked for",
      response: { response, command, memory in
        command.begins(0x80, 0xAE) && command[2] & 0x10 != 0 ? response.changingObject(0x9F4B) { _ in nil } : response
      }),
    changing("AIP without dynamic data authentication", 0xA8, 0x82) {
      $0 == [0x20, 0x40] ? [0x00, 0x40] : $0
    },
    changing("exponent of the card's key left out", 0xB2, 0x9F47) { _ in nil },
  ]
}
