public import ISO7816

/// The proximity payment system environment (PPSE): the directory in which a card lists its contactless applications
/// (EMV Contactless Book B, 3.3.2 and table 3-2).
///
/// `6F { 84, A5 { BF0C { 61 { 4F, 50, 87, 9F2A, ... } ... } } }`. Data objects that are unknown here are kept in their
/// places, so what was decoded is encoded to the same bytes.
public struct ProximityPaymentSystemEnvironment: Hashable, Sendable {
  /// The longest directory, in bytes: the data of one short response.
  public static let maximumCount = 256
  /// The lengths that tag 9F2A can have, in bytes (EMV Contactless Book B, 3.3.2.5).
  public static let kernelIdentifierCounts = 1...8

  /// One application of the directory, template 61.
  public struct Entry: Hashable, Sendable {
    /// All data objects of the template, in their order.
    public let objects: [TLVNode]

    init(objects: [TLVNode]) { self.objects = objects }

    /// Describes an application.
    ///
    /// - Parameters:
    ///   - adfName: Tag 4F, the name that a terminal selects.
    ///   - label: Tag 50, 1...16 characters; nil omits it.
    ///   - priority: Tag 87: 1 is the highest priority, 0 is no priority; nil omits it.
    ///   - kernelIdentifier: Tag 9F2A, 1...8 bytes; empty omits it.
    ///   - further: Data objects that follow.
    public init(
      adfName: AID, label: String? = nil, priority: UInt8? = nil, kernelIdentifier: [UInt8] = [],
      further: [TLVNode] = []
    ) {
      let name = [TLVNode(.adfName, adfName.octets)]
      let text = label.map { [TLVNode(.applicationLabel, Array($0.utf8))] } ?? []
      let rank = priority.map { [TLVNode(.applicationPriorityIndicator, [$0])] } ?? []
      let kernel = kernelIdentifier.isEmpty ? [] : [TLVNode(.kernelIdentifier, kernelIdentifier)]
      objects = name + text + rank + kernel + further
    }

    /// Tag 4F.
    public var adfName: AID? { value(of: .adfName).flatMap(AID.init) }
    /// Tag 50 as text, or nil.
    public var label: String? { value(of: .applicationLabel).map { String(decoding: $0, as: UTF8.self) } }
    /// Tag 87, or nil. The low four bits order the applications: 1 is the first.
    public var priority: UInt8? { value(of: .applicationPriorityIndicator)?.first }
    /// Tag 9F2A: the kernel that the card asks for; empty when the entry has no such tag.
    public var kernelIdentifier: [UInt8] { value(of: .kernelIdentifier) ?? [] }

    private func value(of tag: Tag) -> [UInt8]? { objects.first { $0.tag == tag }?.value }
  }

  /// Template 6F with all that it holds.
  private let template: TLVNode

  /// Reads the response data of SELECT 2PAY.SYS.DDF01, without a status word.
  ///
  /// - Throws: `ProximityPaymentSystemEnvironmentError` with all problems.
  public init(parsing octets: [UInt8]) throws(ProximityPaymentSystemEnvironmentError) {
    var check = DirectoryCheck()
    check.count(octets.count)
    // Lengths in more bytes than needed could not be encoded to the same bytes again.
    let nodes: [TLVNode]
    do throws(TLVError) {
      nodes = try [TLVNode](parsing: octets.span, rules: .strict)
    } catch {
      check.report("", "\(error)")
      throw ProximityPaymentSystemEnvironmentError(check.problems)
    }
    let template = check.template(nodes)
    guard let template, check.problems.isEmpty else { throw ProximityPaymentSystemEnvironmentError(check.problems) }
    self.template = template
  }

  /// Lists applications.
  ///
  /// - Throws: `ProximityPaymentSystemEnvironmentError` with all problems.
  public init(_ entries: [Entry]) throws(ProximityPaymentSystemEnvironmentError) {
    let list = TLVNode(
      .fciIssuerDiscretionaryData, entries.map { TLVNode(.applicationTemplate, $0.objects) })
    let name = TLVNode(.dfName, FileControlInformation.ppseName)
    try self.init(parsing: TLVNode(.fciTemplate, [name, TLVNode(.fciProprietaryTemplate, [list])]).encoded)
  }

  /// The applications, in the order of the wire.
  public var entries: [Entry] {
    let proprietary = template.children.first { $0.tag == .fciProprietaryTemplate }
    let list = proprietary?.children.first { $0.tag == .fciIssuerDiscretionaryData }
    return (list?.children ?? []).filter { $0.tag == .applicationTemplate }.map { Entry(objects: $0.children) }
  }

  /// The bytes for the wire, without a status word: 256 at most.
  public var encoded: [UInt8] { template.encoded }
}

/// All problems of a directory.
public struct ProximityPaymentSystemEnvironmentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Equatable, Sendable, CustomStringConvertible {
    /// The place, such as `6F.A5.BF0C.61[1].4F`; empty for the whole directory.
    public let path: String
    /// The value and the limit.
    public let message: String

    /// The place and the problem.
    public var description: String { path.isEmpty ? message : "\(path): \(message)" }
  }

  /// All problems, in the order in which they were found.
  public let problems: [Problem]

  init(_ problems: [Problem]) { self.problems = problems }

  /// A sentence with all problems.
  public var description: String {
    "the directory (PPSE) cannot be used: " + problems.map(\.description).joined(separator: "; ")
  }
}
