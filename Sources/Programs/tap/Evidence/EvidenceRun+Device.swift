import Links
import Octets
import PCSCReader
import ReaderKinds
import USBSimulator

extension EvidenceRun {
  /// Reads the descriptors of the reader from sysfs.
  mutating func descriptors() throws(LinkError) -> Ending {
    let (address, release) = try address()
    if let release { evidence.firmware = Self.text(ofRelease: release) }
    guard let address else {
      return .skipped("the reader is not at a USB bus, or its driver does not report its address")
    }
    guard let found = survey.connectedDevices.first(where: { $0.bus == address.bus && $0.number == address.device })
    else {
      return .failed("the USB bus does not show the reader: /sys/bus/usb/devices has no such device")
    }
    redaction.serialNumber = found.serialNumber
    evidence.descriptors = found.descriptors
    do throws(DescriptorError) {
      let document = try ReaderDocument(
        descriptors: found.descriptors, manufacturer: found.manufacturer.map(redaction.redacted),
        product: found.product.map(redaction.redacted),
        interfaceNames: found.interfaceNames.mapValues(redaction.redacted))
      device = document
      evidence.firmware = Self.text(ofRelease: document.release)
      return .passed("\(document.name), \(document.identifier), \(found.descriptors.count.bytes) of descriptors")
    } catch { return .failed(error.description) }
  }

  /// The place of the reader at the USB bus, and the version of its firmware as its driver reports them.
  private func address() throws(LinkError) -> ((bus: Int, device: Int)?, UInt16?) {
    guard reader.prefix == "nfc" else {
      let facts = try PCSCService.facts(of: reader.slots[0])
      guard let bus = facts.bus, let device = facts.device else { return (nil, facts.release) }
      return ((bus, device), facts.release)
    }
    // acr122_usb:001:002 and pn53x_usb:001:002
    let words = reader.name.split(separator: ":")
    guard words.count == 3, words[0].hasSuffix("_usb"), let bus = Int(words[1]), let device = Int(words[2]) else {
      return (nil, nil)
    }
    return ((bus, device), nil)
  }

  /// bcdDevice as people write it: 0207 is 2.07.
  static func text(ofRelease release: UInt16) -> String {
    "\(String(release >> 8, radix: 16)).\([UInt8(release & 0xFF)].hex)"
  }
}
