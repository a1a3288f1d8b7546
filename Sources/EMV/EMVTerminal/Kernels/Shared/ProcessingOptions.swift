public import EMVData
public import ISO7816

/// GET PROCESSING OPTIONS and its response in both formats (EMV 4.4 Book 3, 6.5.8; Book C-3 v2.11, 5.2).
public struct ProcessingOptions: Hashable, Sendable {
  /// The layout of a response.
  public enum Format: Sendable {
    /// Template 80: the values of tags 82 and 94, without tags. It has no room for the cryptogram of kernel 3.
    case format1
    /// Template 77: data objects.
    case format2
  }

  /// The most bytes of values in one command: 255 bytes of command data hold tag 83 and a length of two bytes as well.
  public static let maximumValueCount = 252

  /// The layout of the response.
  public let format: Format
  /// The data objects of the response, tags 82 and 94 among them.
  public let elements: [TLVNode]
  /// Tag 94, or nil when there is no record to read.
  public let locator: ApplicationFileLocator?

  // The command for a card that wants these data objects.
  static func command(
    _ list: DataObjectList, _ source: some DataObjectSource
  ) throws(StepFailure) -> CommandAPDU {
    let count = list.valueCount
    guard count <= maximumValueCount else { throw tooMany(count) }
    let data = TLVNode(.commandTemplate, list.values(from: source)).encoded
    do throws(APDUError) {
      return try CommandAPDU(
        cla: 0x80, ins: Instruction.getProcessingOptions, p1: 0x00, p2: 0x00, data: data, expectedLength: 256)
    } catch { throw tooMany(count) }
  }

  private static func tooMany(_ count: Int) -> StepFailure {
    StepFailure(.processingOptions, .tooManyProcessingOptions(count: count, limit: maximumValueCount))
  }

  /// Reads the data of a response with status word 9000.
  ///
  /// - Throws: `StepFailure` when the data have neither format, or when tag 94 is malformed.
  public init(parsing octets: [UInt8]) throws(StepFailure) {
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span)
    } catch { throw Self.malformed("the response is not BER-TLV: \(error)") }
    guard let template = nodes.first, nodes.count == 1 else {
      throw Self.malformed("the response has \(nodes.count) templates: one of 77 and 80 is needed")
    }
    switch template.tag {
    case .responseFormat1:
      format = .format1
      elements = try Self.format1(template.value)
    case .responseFormat2:
      format = .format2
      elements = template.children
    default: throw Self.malformed("the response is in template \(template.tag): 77 or 80 is needed")
    }
    locator = try Self.locator(elements)
  }

  private static func format1(_ value: [UInt8]) throws(StepFailure) -> [TLVNode] {
    guard value.count >= 2 else { throw malformed("template 80 has \(value.count) bytes: at least 2 are needed") }
    let profile = TLVNode(.applicationInterchangeProfile, Array(value.prefix(2)))
    guard value.count > 2 else { return [profile] }
    return [profile, TLVNode(.applicationFileLocator, Array(value.dropFirst(2)))]
  }

  private static func locator(_ elements: [TLVNode]) throws(StepFailure) -> ApplicationFileLocator? {
    guard let element = elements.first(where: { $0.tag == .applicationFileLocator }) else { return nil }
    do throws(ApplicationFileLocator.Fault) {
      return try ApplicationFileLocator(parsing: element.value)
    } catch { throw malformed("\(error)") }
  }

  private static func malformed(_ reason: String) -> StepFailure {
    StepFailure(.processingOptions, .malformed(reason))
  }
}

extension ProcessingOptions {
  /// The first step of a kernel: GET PROCESSING OPTIONS with the terminal's values for the PDOL (EMV 4.4 Book 3, 6.5.8).
  /// An application whose PDOL cannot be answered is left out.
  static func request(for application: SelectedApplication, from data: TerminalData) -> KernelStep {
    do throws(StepFailure) {
      return .transmit(try command(application.processingOptions, data), .processingOptions)
    } catch { return .selectNext(error) }
  }
}
