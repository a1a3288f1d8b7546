import EMVData
import ISO7816
import Octets
import Testing

@Suite("Payment schemes")
struct PaymentSchemeTests {
  @Test(
    arguments: [
      ("A0000000031010", "Visa", 3), ("A0000000041010", "Mastercard", 2), ("A00000002501", "American Express", 4),
      ("A0000000651010", "JCB", 5), ("A0000001523010", "Discover and Diners Club", 6),
      ("A0000003241010", "Discover", 6),
      ("A000000333010101", "UnionPay", 7), ("A0000002771010", "Interac (Canada)", nil),
    ] as [(String, String, UInt8?)])
  func `an application has the name and the kernel of its scheme`(hex: String, name: String, kernel: UInt8?) throws {
    let application = try #require(AID([UInt8](hex: hex)))
    #expect(PaymentScheme.of(application)?.name == name)
    #expect(ContactlessKernel(application: application)?.rawValue == kernel)
    let isPayment = PaymentScheme.isPayment(application.octets.span)
    #expect(isPayment)
  }

  @Test func `a provider that takes no payments and a short name have no scheme`() throws {
    for hex in ["D2760000850101", "A00000", ""] {
      let octets = try [UInt8](hex: hex)
      let isPayment = PaymentScheme.isPayment(octets.span)
      #expect(PaymentScheme.of(octets) == nil)
      #expect(!isPayment)
    }
  }

  @Test func `the applications to try begin with the identifier of their scheme`() {
    for scheme in PaymentScheme.all {
      #expect(scheme.provider.count == 5)
      for application in scheme.applications { #expect(application.starts(with: scheme.provider)) }
    }
  }
}
