import ISO7816

/// American Express, JCB, Discover and UnionPay.
extension CardMutant {
  static let otherKernels: [CardMutant] = schemes.flatMap { scheme in
    [
      changing("\(scheme.name): AAC although verified", scheme.instruction) { response, memory in
        memory.application.starts(with: scheme.provider)
          ? response.withAAC : response
      },
      changing("\(scheme.name): counter left out", scheme.instruction) { response, memory in
        memory.application.starts(with: scheme.provider) ? response.changingObject(0x9F36) { _ in nil } : response
      },
      CardMutant(
        fault: "\(scheme.name): cryptogram without verification",
        response: { response, command, memory in
          guard memory.application.starts(with: scheme.provider), command.instruction == scheme.locked,
            response.status != [0x90, 0x00] || response.object(0x9F27) == [0x00]
          else { return response }
          return CardMutant.madeUp
        }),
    ]
  }

  /// What is wrong with the command that computes, in the kernels that have GENERATE AC.
  static let otherCryptograms: [CardMutant] = schemes.filter { $0.instruction == 0xAE }.flatMap { scheme in
    let isOfScheme: @Sendable (CardMemory) -> Bool = { $0.application.starts(with: scheme.provider) }
    return [
      CardMutant(
        fault: "\(scheme.name): ARQC for a decline",
        response: { response, command, memory in
          isOfScheme(memory) && command.begins(0x80, 0xAE, 0x00)
            ? response.changingObject(0x9F27) { _ in [0x80] } : response
        }),
      repeating("\(scheme.name): second cryptogram for one payment") { command, memory in
        isOfScheme(memory) && command.begins(0x80, 0xAE) && memory.instructions.last == 0xAE
      },
      changing("\(scheme.name): expiry date left out", 0xB2) { response, memory in
        isOfScheme(memory) ? response.changingObject(0x5F24) { _ in nil } : response
      },
      changing("\(scheme.name): cryptogram left out", 0xAE) { response, memory in
        isOfScheme(memory) ? response.changingObject(0x9F26) { _ in nil } : response
      },
    ]
  }

  /// A response with an ARQC that no key has made.
  static let madeUp: Bytes =
    TLVNode(
      0x77,
      [
        TLVNode(0x82, [0x00, 0x40]), TLVNode(0x94, [0x08, 0x01, 0x01, 0x00]), TLVNode(0x9F27, [0x80]),
        TLVNode(0x9F36, [0x00, 0x01]), TLVNode(0x9F26, Bytes(repeating: 0x11, count: 8)),
      ]
    ).encoded + [0x90, 0x00]

  // The instruction of the cryptogram, and the one that a locked device refuses.
  private static let schemes: [(name: String, provider: Bytes, instruction: UInt8, locked: UInt8)] = [
    ("American Express", [0xA0, 0x00, 0x00, 0x00, 0x25], 0xAE, 0xA8),
    ("JCB", [0xA0, 0x00, 0x00, 0x00, 0x65], 0xAE, 0xAE),
    ("Discover", [0xA0, 0x00, 0x00, 0x01, 0x52], 0xAE, 0xA8),
    ("UnionPay", [0xA0, 0x00, 0x00, 0x03, 0x33], 0xA8, 0xA8),
  ]
}

extension [UInt8] {
  /// The response with the type of an AAC.
  fileprivate var withAAC: [UInt8] { changingObject(0x9F27) { _ in [0x00] } }
}
