import CPlainParts
import EMVCard
import EMVData
import EMVTerminal
import ISO7816
import Octets

/// The values of a data object list, built in Swift and in C from the same data elements of a terminal.
final class ValueList {
  private let list: DataObjectList
  private let data: TerminalData
  private let entries: [plain_entry]
  private let elements: UnsafeMutableBufferPointer<plain_element>

  /// CDOL1 of a card, and a terminal that has every value of it and as many others.
  init(_ image: CardImage) {
    list = image.applications[0].cdol1 ?? DataObjectList(entries: [])
    var values: [Tag: [UInt8]] = [:]
    for (number, entry) in list.entries.enumerated() {
      values[entry.tag] = [UInt8](repeating: UInt8(number + 1), count: entry.count)
      values[Tag(rawValue: 0xDF01 + UInt32(number))] = [0xFF]
    }
    data = TerminalData(values)
    entries = list.entries.map { plain_entry(tag: $0.tag.rawValue, count: $0.count) }
    elements = .allocate(capacity: values.count)
    for (index, (tag, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
      let octets = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: value.count)
      _ = octets.initialize(from: value)
      elements.initializeElement(
        at: index, to: plain_element(tag: tag.rawValue, octets: octets.baseAddress, count: value.count))
    }
  }

  deinit {
    for element in elements { element.octets.deallocate() }
    elements.deallocate()
  }

  /// The number of octets of the values.
  var count: Int { list.valueCount }

  /// Builds the values several times in the same place. Returns the sum of their octets.
  func build(times: Int) -> Int {
    var values = [UInt8](repeating: 0, count: count)
    values.withMutableOctets { octets in
      var iteration = 0
      while iteration < times {
        write(into: &octets)
        iteration &+= 1
      }
    }
    return values.reduce(0) { $0 + Int($1) }
  }

  @inline(never)
  private func write(into octets: inout MutableRawSpan) { data.write(list, into: &octets) }

  /// As `build`, in C.
  func plainBuild(times: Int) -> Int {
    plain_list_repeat(entries, entries.count, elements.baseAddress, elements.count, times)
  }
}
