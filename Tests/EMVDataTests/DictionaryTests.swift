@testable import EMVData
import ISO7816
import Octets
import Testing

@Suite("Dictionary")
struct DictionaryTests {
  static let elements = DataElement.dictionary.values.sorted { $0.tag < $1.tag }

  @Test func `every tag is well-formed and occurs once`() {
    let all = DataElement.everyElement + ContactlessKernel.allCases.flatMap(DataElement.all(of:))
    #expect(DataElement.everyElement.count == DataElement.dictionary.count)
    #expect(DataElement.all.count == DataElement.dictionary.count)
    #expect(all.filter { !$0.tag.isWellFormed }.map(\.tag) == [])
    #expect(all.filter { $0.tag.isConstructed != ($0.format == .template) }.map(\.tag) == [])
  }

  @Test func `every length can be sent by a card and fits the format`() {
    for element in Self.elements {
      #expect(element.lengths.lowerBound >= 0 && element.lengths.upperBound <= 261, "\(element.tag)")
      #expect(element.lengths.upperBound > 0, "\(element.tag)")
      #expect(!element.name.isEmpty && !element.reference.isEmpty, "\(element.tag)")
    }
  }

  @Test(
    arguments: [
      (0x82, 2), (0x95, 5), (0x9A, 3), (0x9C, 1), (0x9F02, 6), (0x9F03, 6), (0x9F1A, 2), (0x5F2A, 2), (0x9F37, 4),
      (0x9F66, 4), (0x9F6C, 2), (0x9F36, 2), (0x9F26, 8), (0x9F27, 1), (0x5F34, 1), (0x5F24, 3),
    ] as [(UInt32, Int)])
  func `the elements of a tap have the lengths of the books`(_ tag: UInt32, _ count: Int) {
    #expect(DataElement.named(ISO7816.Tag(rawValue: tag))?.lengths == count...count)
  }

  @Test(arguments: [0x56, 0x57, 0x5A, 0x5F20, 0x5F53, 0x9F0B, 0x9F1F, 0x9F20, 0x9F6B] as [ISO7816.Tag])
  func `every element that identifies the cardholder is cardholder data`(_ tag: ISO7816.Tag) {
    #expect(DataElement.named(tag)?.isCardholderData == true)
    let value = Array("4761739001010010^DOE/J".utf8)
    #expect(!DataElement.text(of: tag, value).contains("DOE"))
    #expect(!DataElement.text(of: tag, value).contains(value.hex))
    #expect(DataElement.text(of: tag, value, unmasked: true).count > 20)
  }

  @Test func `the dictionary covers contact books, contactless books, kernels 2 and 8, and schemes`() {
    #expect(DataElement.all.count >= 270)
    #expect(DataElement.all(of: .mastercard).count >= 30)
    #expect(DataElement.all(of: .visa).count >= 20)
  }

  @Test(
    arguments: [
      (0x9F6E, nil, "Form Factor Indicator (FFI)"), (0x9F6E, ContactlessKernel.mastercard, "Third Party Data"),
      (0x9F6E, .americanExpress, "Enhanced Contactless Reader Capabilities"),
      (0x9F71, .discover, "Card Processing Requirement (CPR)"), (0x9F71, .americanExpress, "Mobile CVM Results"),
      (0xDF34, .discover, "CVM Card Action Code - Online PIN"),
      (0x9F69, .mastercard, "Unpredictable Number Data Object List (UDOL)"),
      (0x9F69, .visa, "Card Authentication Related Data"), (0x9F68, .mastercard, "Mag-stripe CVM List"),
      (0x9F79, .unionPay, "EC Balance"), (0x9F79, .visa, "VLP Available Funds"),
      (0x95, .discover, "Terminal Verification Results (TVR)"),
    ] as [(UInt32, ContactlessKernel?, String)])
  func `a tag has the meaning of the application's kernel`(
    _ tag: UInt32, _ kernel: ContactlessKernel?, _ name: String
  ) {
    #expect(DataElement.named(ISO7816.Tag(rawValue: tag), kernel: kernel)?.name == name)
  }

  @Test func `an unknown tag has no entry and is shown in hexadecimal`() {
    #expect(DataElement.named(0xDF7F) == nil)
    #expect(DataElement.text(of: 0xDF7F, [0xAB]) == "AB")
  }

  @Test(arguments: [0, 1, 2, 3, 5, 8, 40])
  func `text of any value never fails`(_ count: Int) {
    let random = SeededRandomSource(seed: UInt64(count))
    for element in Self.elements {
      let value = random.octets(count)
      _ = DataElement.text(of: element.tag, value)
      _ = DataElement.text(of: element.tag, value, unmasked: true)
      for kernel in ContactlessKernel.allCases {
        _ = DataElement.text(of: element.tag, value, kernel: kernel)
      }
    }
  }
}
