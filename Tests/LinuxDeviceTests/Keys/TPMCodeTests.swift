import DeviceAuthentication
import Octets
import TestSupport
import Testing

@testable import LinuxDevice

@Suite("Response codes and structures of a TPM")
struct TPMCodeTests {
  /// Codes that a TPM or its software stack returns, with what they mean for a key of epoch 5 under epoch 7.
  private static let codes: [(UInt32, KeyInvalidation?, String)] = [
    (0x126, .lockRemoved(keyEpoch: LockEpoch(rawValue: 5), presentEpoch: LockEpoch(rawValue: 7)), "unavailable"),
    (0x1DF, .keyGone, "unavailable"), (0x2DF, .keyGone, "unavailable"),
    (0x18B, .keyGone, "unavailable"), (0x28B, .keyGone, "unavailable"), (0xB018B, .keyGone, "unavailable"),
    (0x99D, .refused(code: 0x99D), "unavailable"),
    (0x921, nil, "busy"), (0x922, nil, "busy"), (0x902, nil, "busy"), (0x903, nil, "busy"), (0x923, nil, "busy"),
    (0xB0902, nil, "busy"), (0x1D5, .refused(code: 0x1D5), "unavailable"), (0x98E, nil, "unavailable"),
    (0x9A2, nil, "unavailable"), (0x14B, nil, "unavailable"),
    (0x100, nil, "unavailable"), (0x101, nil, "unavailable"), (0xA0008, nil, "unavailable"),
    (0xA000A, nil, "unavailable"), (0x7_0011, nil, "unavailable"), (0x7_0126, nil, "unavailable"),
    (0xFFFF_FFFF, nil, "unavailable"),
  ]

  @Test(arguments: codes) func `a code is an invalid key, a busy or an unavailable TPM`(
    _ code: UInt32, _ reason: KeyInvalidation?, _ kind: String
  ) {
    let error = TPMError("TPM2_Load", TPMResponseCode(rawValue: code))
    #expect(error.invalidation(of: LockEpoch(rawValue: 5), presentEpoch: LockEpoch(rawValue: 7)) == reason)
    #expect(error.deviceError.kind == kind)
    #expect("\(error.deviceError)".contains("0x" + String(code, radix: 16, uppercase: true)))
  }

  @Test func `a policy that is not met under the same epoch is not a removal of the lock`() {
    let error = TPMError("TPM2_PolicyNV", .policyNotMet)
    let epoch = LockEpoch(rawValue: 5)
    #expect(error.invalidation(of: epoch, presentEpoch: epoch) == .refused(code: 0x126))
    #expect(error.invalidation(of: epoch, presentEpoch: nil) == .refused(code: 0x126))
  }

  @Test func `a signature has two numbers of 1 to 32 bytes`() throws {
    func signature(_ r: [UInt8], _ s: [UInt8]) throws -> [UInt8] {
      try [UInt8](hex: "0018000B") + TPMTemplates.sized(r) + TPMTemplates.sized(s)
    }
    let full = [UInt8](repeating: 0xFF, count: 32)
    #expect(TPMTemplates.signature(in: try signature(full, full)) == full + full)
    let short = [UInt8](repeating: 0, count: 31) + [5]
    #expect(TPMTemplates.signature(in: try signature([5], full)) == short + full)
    let whole = try signature(full, full)
    let others: [[UInt8]] = [
      try signature([], full), try signature(full + [0], full), try signature(full, []), whole + [0], [],
      Array(whole.dropLast()), [0x00, 0x14] + whole[2...],
    ]
    for other in others { #expect(TPMTemplates.signature(in: other) == nil) }
  }

  @Test func `a public area is read to its end and never beyond it`() throws {
    let x = [UInt8](repeating: 0xAA, count: 32)
    let y = [UInt8](repeating: 0xBB, count: 31)
    let policy = [UInt8](repeating: 1, count: 32)
    let template = TPMTemplates.key(.signing, policy: policy)
    let area = Array(template.prefix(template.count - 4)) + TPMTemplates.sized(x) + TPMTemplates.sized(y)
    #expect(TPMTemplates.point(of: area) == [0x04] + x + [0] + y)
    for length in 0..<area.count { #expect(TPMTemplates.point(of: Array(area.prefix(length))) == nil, "\(length)") }
    #expect(TPMTemplates.point(of: area + [0]) == nil)
    #expect(TPMTemplates.point(of: TPMTemplates.key(.sealing, policy: policy)) == nil)
    #expect(TPMTemplates.point(of: template) == nil)
  }
}
