import EMVData
import EMVDecoding
import ISO7816

/// Offline data authentication of kernels 4 to 7.
extension Mutant {
  static let otherAuthentication: [Mutant] =
    combined("amex", 4, 0xDF51) { $0.pdol?.entries.contains { $0.tag == 0x9F6E } == true }
    + combined("jcb", 5, 0xDF52) { $0.pdol?.entries.contains { $0.tag == 0x9F53 } == true }
    + combined("discover", 6, 0xDF53) { $0.application?.octets == [0xF0, 0x00, 0x00, 0x00, 0x01, 0x30, 0x10] }
    + unionPay

  private static let folder = "OtherAuthentication"

  /// The mutants of a kernel with CDA.
  ///
  /// - Parameters:
  ///   - scheme: The beginning of the names of its scenarios.
  ///   - added: The tag of the data object that a scenario adds to the response to GENERATE AC.
  ///   - isCard: Whether the selected application is one of the kernel.
  private static func combined(
    _ scheme: String, _ kernel: Int, _ added: Tag, _ isCard: @escaping @Sendable (DecodingContext) -> Bool
  ) -> [Mutant] {
    [
      accepting("changed static data accepted, kernel \(kernel)", "\(scheme)-static-data", in: folder),
      accepting("authority key with another index used, kernel \(kernel)", "\(scheme)-authority", in: folder),
      sending("missing certificate of the card not reported, kernel \(kernel)", 0xAE) { command, memory in
        guard isCard(memory.context) else { return command }
        // Byte 1 bit 6 of tag 95.
        return command.changing(0x95, memory.context) { $0.with($0[0] & ~0x20, at: 0) }
      },
      taking("object outside the signature accepted, kernel \(kernel)", 0xAE) { response, _ in
        response.changingObject(added) { _ in nil }
      },
      taking("right signature refused, kernel \(kernel)", 0xAE) { response, memory in
        isCard(memory.context) ? response.changingObject(0x9F4B) { $0.with($0[0] ^ 0x01, at: 0) } : response
      },
    ]
  }

  private static let unionPay: [Mutant] = [
    accepting("changed static data accepted, kernel 7", "unionpay-static-data", in: folder),
    accepting("authority key with another index used, kernel 7", "unionpay-authority", in: folder),
    taking("missing certificate of the card accepted, kernel 7", 0xB2) { response, memory in
      guard isUnionPay(memory.context), response.object(0x9F47) != nil, response.object(0x9F46) == nil else {
        return response
      }
      return unionPayObjects[0x9F46].map { response.adding(TLVNode(0x9F46, $0)) } ?? response
    },
    taking("payment with a wrong signature sent to the host, kernel 7", 0xA8) { response, _ in
      // The value that OFB-19 gives the tag.
      guard response.object(0x9F69) == [0x01, 0xA1, 0xB2, 0xC3, 0xD5, 0x00, 0x80] else { return response }
      return response.changingQualifiers { $0.with($0[0] | 0x20, at: 0) }
    },
    taking("right signature refused, kernel 7", 0xA8) { response, memory in
      isUnionPay(memory.context) ? response.changingObject(0x9F4B) { $0.with($0[0] ^ 0x01, at: 0) } : response
    },
  ]

  private static let unionPayObjects = objects(of: "unionpay-fdda.json")

  private static func isUnionPay(_ context: DecodingContext) -> Bool {
    context.application?.octets == [0xF0, 0x00, 0x00, 0x00, 0x01, 0x01, 0x01, 0x01]
  }
}
