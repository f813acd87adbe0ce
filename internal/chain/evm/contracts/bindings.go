// Code generated via abigen V2 - DO NOT EDIT.
// This file is a generated binding and any manual changes will be lost.

package contracts

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Reference imports to suppress errors if they are not otherwise used.
var (
	_ = bytes.Equal
	_ = errors.New
	_ = big.NewInt
	_ = common.Big1
	_ = types.BloomLookup
	_ = abi.ConvertType
)

// ForwarderFactoryItem is an auto generated low-level Go binding around an user-defined struct.
type ForwarderFactoryItem struct {
	Settlement common.Address
	Salt       [32]byte
	Tokens     []common.Address
}

// ForwarderMetaData contains all meta data concerning the Forwarder contract.
var ForwarderMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"NativeTransferFailed\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"NotAForwarder\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"SafeERC20FailedOperation\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"}],\"name\":\"flush\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"stateMutability\":\"nonpayable\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"settlement\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"to\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"stateMutability\":\"payable\",\"type\":\"receive\"}]",
	ID:  "d3739dc6d42119d0a21b01693184f961b0",
	Bin: "0x60a08060405234602857306080526103d4908161002d8239608051818181602f01526103910152f35b5f80fdfe6080604052600436101561007f575b3615610018575f80fd5b73ffffffffffffffffffffffffffffffffffffffff7f000000000000000000000000000000000000000000000000000000000000000016301461005757005b7f5ac85bab000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f3560e01c80635116063014610324576379c76e1a0361000e573461030e5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261030e5760043573ffffffffffffffffffffffffffffffffffffffff811680910361030e576100f161037a565b908061019e57504790811515908161013d575b50610115576020905b604051908152f35b7ff4b3b1bc000000000000000000000000000000000000000000000000000000005f5260045ffd5b9050604051602081019181831067ffffffffffffffff841117610171575f848194928280958195604052525af1155f610104565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b90604051907f70a08231000000000000000000000000000000000000000000000000000000008252306004830152602082602481865afa918215610319575f926102ad575b5081806101f6575b50506020915061010d565b73ffffffffffffffffffffffffffffffffffffffff604051927fa9059cbb000000000000000000000000000000000000000000000000000000005f521660045260245260205f60448180875af19060015f511482161561028c575b604052156102605781806101eb565b507f5274afe7000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9060018115166102a457833b15153d15161690610251565b503d5f823e3d90fd5b90915060203d602011610312575b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f820116820182811067ffffffffffffffff8211176101715760209183916040528101031261030e5751905f6101e3565b5f80fd5b503d6102bb565b6040513d5f823e3d90fd5b3461030e575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261030e57602061035c61037a565b73ffffffffffffffffffffffffffffffffffffffff60405191168152f35b73ffffffffffffffffffffffffffffffffffffffff7f0000000000000000000000000000000000000000000000000000000000000000163014610057575f80526014602d600c303c5f519056fea164736f6c6343000825000a",
}

// Forwarder is an auto generated Go binding around an Ethereum contract.
type Forwarder struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *Forwarder) GetABI() abi.ABI {
	return c.abi
}

// NewForwarder creates a new instance of Forwarder.
func NewForwarder() *Forwarder {
	parsed, err := ForwarderMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &Forwarder{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *Forwarder) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackFlush is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x79c76e1a.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function flush(address token) returns(uint256 amount)
func (forwarder *Forwarder) PackFlush(token common.Address) []byte {
	enc, err := forwarder.abi.Pack("flush", token)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackFlush is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x79c76e1a.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function flush(address token) returns(uint256 amount)
func (forwarder *Forwarder) TryPackFlush(token common.Address) ([]byte, error) {
	return forwarder.abi.Pack("flush", token)
}

// UnpackFlush is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x79c76e1a.
//
// Solidity: function flush(address token) returns(uint256 amount)
func (forwarder *Forwarder) UnpackFlush(data []byte) (*big.Int, error) {
	out, err := forwarder.abi.Unpack("flush", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackSettlement is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x51160630.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function settlement() view returns(address to)
func (forwarder *Forwarder) PackSettlement() []byte {
	enc, err := forwarder.abi.Pack("settlement")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSettlement is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x51160630.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function settlement() view returns(address to)
func (forwarder *Forwarder) TryPackSettlement() ([]byte, error) {
	return forwarder.abi.Pack("settlement")
}

// UnpackSettlement is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x51160630.
//
// Solidity: function settlement() view returns(address to)
func (forwarder *Forwarder) UnpackSettlement(data []byte) (common.Address, error) {
	out, err := forwarder.abi.Unpack("settlement", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (forwarder *Forwarder) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], forwarder.abi.Errors["NativeTransferFailed"].ID.Bytes()[:4]) {
		return forwarder.UnpackNativeTransferFailedError(raw[4:])
	}
	if bytes.Equal(raw[:4], forwarder.abi.Errors["NotAForwarder"].ID.Bytes()[:4]) {
		return forwarder.UnpackNotAForwarderError(raw[4:])
	}
	if bytes.Equal(raw[:4], forwarder.abi.Errors["SafeERC20FailedOperation"].ID.Bytes()[:4]) {
		return forwarder.UnpackSafeERC20FailedOperationError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// ForwarderNativeTransferFailed represents a NativeTransferFailed error raised by the Forwarder contract.
type ForwarderNativeTransferFailed struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NativeTransferFailed()
func ForwarderNativeTransferFailedErrorID() common.Hash {
	return common.HexToHash("0xf4b3b1bcbe5924688bdd352ae99c1966d3ce0a2ba09d3a1d796de982d1ee8c84")
}

// UnpackNativeTransferFailedError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NativeTransferFailed()
func (forwarder *Forwarder) UnpackNativeTransferFailedError(raw []byte) (*ForwarderNativeTransferFailed, error) {
	out := new(ForwarderNativeTransferFailed)
	if err := forwarder.abi.UnpackIntoInterface(out, "NativeTransferFailed", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderNotAForwarder represents a NotAForwarder error raised by the Forwarder contract.
type ForwarderNotAForwarder struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error NotAForwarder()
func ForwarderNotAForwarderErrorID() common.Hash {
	return common.HexToHash("0x5ac85bab85c005c06066d092f14ea969a93ae4029941103b335716c762b43544")
}

// UnpackNotAForwarderError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error NotAForwarder()
func (forwarder *Forwarder) UnpackNotAForwarderError(raw []byte) (*ForwarderNotAForwarder, error) {
	out := new(ForwarderNotAForwarder)
	if err := forwarder.abi.UnpackIntoInterface(out, "NotAForwarder", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderSafeERC20FailedOperation represents a SafeERC20FailedOperation error raised by the Forwarder contract.
type ForwarderSafeERC20FailedOperation struct {
	Token common.Address
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error SafeERC20FailedOperation(address token)
func ForwarderSafeERC20FailedOperationErrorID() common.Hash {
	return common.HexToHash("0x5274afe73c98b4749fc91ffae6b7b574e7842cb2144a159e9377a5f20b32edf9")
}

// UnpackSafeERC20FailedOperationError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error SafeERC20FailedOperation(address token)
func (forwarder *Forwarder) UnpackSafeERC20FailedOperationError(raw []byte) (*ForwarderSafeERC20FailedOperation, error) {
	out := new(ForwarderSafeERC20FailedOperation)
	if err := forwarder.abi.UnpackIntoInterface(out, "SafeERC20FailedOperation", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderFactoryMetaData contains all meta data concerning the ForwarderFactory contract.
var ForwarderFactoryMetaData = bind.MetaData{
	ABI: "[{\"inputs\":[],\"name\":\"Create2EmptyBytecode\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"FailedDeployment\",\"type\":\"error\"},{\"inputs\":[{\"internalType\":\"uint256\",\"name\":\"balance\",\"type\":\"uint256\"},{\"internalType\":\"uint256\",\"name\":\"needed\",\"type\":\"uint256\"}],\"name\":\"InsufficientBalance\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"OutOfGasForToken\",\"type\":\"error\"},{\"inputs\":[],\"name\":\"ZeroSettlement\",\"type\":\"error\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"forwarder\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"bytes4\",\"name\":\"reason\",\"type\":\"bytes4\"}],\"name\":\"FlushFailed\",\"type\":\"event\"},{\"anonymous\":false,\"inputs\":[{\"indexed\":true,\"internalType\":\"address\",\"name\":\"forwarder\",\"type\":\"address\"},{\"indexed\":true,\"internalType\":\"address\",\"name\":\"token\",\"type\":\"address\"},{\"indexed\":false,\"internalType\":\"uint256\",\"name\":\"amount\",\"type\":\"uint256\"}],\"name\":\"Flushed\",\"type\":\"event\"},{\"inputs\":[],\"name\":\"GAS_PER_TOKEN\",\"outputs\":[{\"internalType\":\"uint256\",\"name\":\"\",\"type\":\"uint256\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"internalType\":\"address\",\"name\":\"settlement\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"salt\",\"type\":\"bytes32\"}],\"name\":\"forwarderAddress\",\"outputs\":[{\"internalType\":\"address\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[],\"name\":\"implementation\",\"outputs\":[{\"internalType\":\"contractForwarder\",\"name\":\"\",\"type\":\"address\"}],\"stateMutability\":\"view\",\"type\":\"function\"},{\"inputs\":[{\"components\":[{\"internalType\":\"address\",\"name\":\"settlement\",\"type\":\"address\"},{\"internalType\":\"bytes32\",\"name\":\"salt\",\"type\":\"bytes32\"},{\"internalType\":\"address[]\",\"name\":\"tokens\",\"type\":\"address[]\"}],\"internalType\":\"structForwarderFactory.Item[]\",\"name\":\"items\",\"type\":\"tuple[]\"}],\"name\":\"sweep\",\"outputs\":[],\"stateMutability\":\"nonpayable\",\"type\":\"function\"}]",
	ID:  "c08c6e769cb30673bb13a9e2427407a876",
	Bin: "0x60a080604052346071576104018181016001600160401b03811183821017605d578291610758833903905ff080156052576080526040516106e2908161007682396080518181816104de01526105fa0152f35b6040513d5f823e3d90fd5b634e487b7160e01b5f52604160045260245ffd5b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c806319e8131e146105025780635c60da1b1461049457806366e7d74114610084576389ceafc914610045575f80fd5b34610080575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610080576020604051620493e08152f35b5f80fd5b346100805760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100805760043567ffffffffffffffff8111610080573660238201121561008057806004013567ffffffffffffffff8111610080573660248260051b84010111610080575f907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7d83360301915b818110156104925760248160051b850101358381121561008057840193602485019461014f61014a8761058b565b6105ac565b6044820135815173ffffffffffffffffffffffffffffffffffffffff61018461017e602086019384208561069f565b9a61058b565b161561042057883b15610391575b50505060648101357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbd36839003018112156100805760249101019283359467ffffffffffffffff8611610080578560051b36036020860113610080575f5b8681101561037d5761020960208260051b88010161058b565b906204cd895a106103555760019160205f602481808e7f79c76e1a00000000000000000000000000000000000000000000000000000000825286600452620493e0f19060043d1061034d575b5f51916102df5773ffffffffffffffffffffffffffffffffffffffff907fffffffff000000000000000000000000000000000000000000000000000000006040519316835216907f100d303e1e5396de618b28e3e6218725b77fda2cdd2ea0ff3a00e12755c84baf602073ffffffffffffffffffffffffffffffffffffffff8d1692a35b016101f0565b816102ec575b50506102d9565b73ffffffffffffffffffffffffffffffffffffffff9060405192835216907f54e8709438d2f8f9d21ba488761f9a840bb0ed9d0ce2f615fc75422fb4505d46602073ffffffffffffffffffffffffffffffffffffffff8d1692a389806102e5565b5f8052610255565b7f3df3ee34000000000000000000000000000000000000000000000000000000005f5260045ffd5b509450945091506001905b0192909261011c565b8251156103f85773ffffffffffffffffffffffffffffffffffffffff9251905ff516156103c057868080610192565b3d6103ed577fb06ebf3d000000000000000000000000000000000000000000000000000000005f5260045ffd5b6040513d5f823e3d90fd5b7f4ca249dc000000000000000000000000000000000000000000000000000000005f5260045ffd5b505050509193905f6001927f100d303e1e5396de618b28e3e6218725b77fda2cdd2ea0ff3a00e12755c84baf602073ffffffffffffffffffffffffffffffffffffffff604051937ff00c951d0000000000000000000000000000000000000000000000000000000085521692a3610388565b005b34610080575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261008057602060405173ffffffffffffffffffffffffffffffffffffffff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346100805760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100805760043573ffffffffffffffffffffffffffffffffffffffff811681036100805761056d61055f6020926105ac565b82815191012060243561069f565b73ffffffffffffffffffffffffffffffffffffffff60405191168152f35b3573ffffffffffffffffffffffffffffffffffffffff811681036100805790565b7fffffffffffffffffffffffffffffffffffffffff000000000000000000000000604051917f6100413d81600a3d39f3363d3d373d3d3d363d730000000000000000000000006020840152817f000000000000000000000000000000000000000000000000000000000000000060601b1660348401527f5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000604884015260601b166057820152604b81526080810181811067ffffffffffffffff8211176106725760405290565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b600b73ffffffffffffffffffffffffffffffffffffffff9260559260405191604083015260208201523081520160ff815320169056fea164736f6c6343000825000a60a08060405234602857306080526103d4908161002d8239608051818181602f01526103910152f35b5f80fdfe6080604052600436101561007f575b3615610018575f80fd5b73ffffffffffffffffffffffffffffffffffffffff7f000000000000000000000000000000000000000000000000000000000000000016301461005757005b7f5ac85bab000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f3560e01c80635116063014610324576379c76e1a0361000e573461030e5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261030e5760043573ffffffffffffffffffffffffffffffffffffffff811680910361030e576100f161037a565b908061019e57504790811515908161013d575b50610115576020905b604051908152f35b7ff4b3b1bc000000000000000000000000000000000000000000000000000000005f5260045ffd5b9050604051602081019181831067ffffffffffffffff841117610171575f848194928280958195604052525af1155f610104565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b90604051907f70a08231000000000000000000000000000000000000000000000000000000008252306004830152602082602481865afa918215610319575f926102ad575b5081806101f6575b50506020915061010d565b73ffffffffffffffffffffffffffffffffffffffff604051927fa9059cbb000000000000000000000000000000000000000000000000000000005f521660045260245260205f60448180875af19060015f511482161561028c575b604052156102605781806101eb565b507f5274afe7000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9060018115166102a457833b15153d15161690610251565b503d5f823e3d90fd5b90915060203d602011610312575b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f820116820182811067ffffffffffffffff8211176101715760209183916040528101031261030e5751905f6101e3565b5f80fd5b503d6102bb565b6040513d5f823e3d90fd5b3461030e575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261030e57602061035c61037a565b73ffffffffffffffffffffffffffffffffffffffff60405191168152f35b73ffffffffffffffffffffffffffffffffffffffff7f0000000000000000000000000000000000000000000000000000000000000000163014610057575f80526014602d600c303c5f519056fea164736f6c6343000825000a",
}

// ForwarderFactory is an auto generated Go binding around an Ethereum contract.
type ForwarderFactory struct {
	abi abi.ABI
}

// GetABI returns the ABI associated with this contract binding.
func (c *ForwarderFactory) GetABI() abi.ABI {
	return c.abi
}

// NewForwarderFactory creates a new instance of ForwarderFactory.
func NewForwarderFactory() *ForwarderFactory {
	parsed, err := ForwarderFactoryMetaData.ParseABI()
	if err != nil {
		panic(errors.New("invalid ABI: " + err.Error()))
	}
	return &ForwarderFactory{abi: *parsed}
}

// Instance creates a wrapper for a deployed contract instance at the given address.
// Use this to create the instance object passed to abigen v2 library functions Call, Transact, etc.
func (c *ForwarderFactory) Instance(backend bind.ContractBackend, addr common.Address) *bind.BoundContract {
	return bind.NewBoundContract(addr, c.abi, backend, backend, backend)
}

// PackGASPERTOKEN is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x89ceafc9.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function GAS_PER_TOKEN() view returns(uint256)
func (forwarderFactory *ForwarderFactory) PackGASPERTOKEN() []byte {
	enc, err := forwarderFactory.abi.Pack("GAS_PER_TOKEN")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackGASPERTOKEN is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x89ceafc9.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function GAS_PER_TOKEN() view returns(uint256)
func (forwarderFactory *ForwarderFactory) TryPackGASPERTOKEN() ([]byte, error) {
	return forwarderFactory.abi.Pack("GAS_PER_TOKEN")
}

// UnpackGASPERTOKEN is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x89ceafc9.
//
// Solidity: function GAS_PER_TOKEN() view returns(uint256)
func (forwarderFactory *ForwarderFactory) UnpackGASPERTOKEN(data []byte) (*big.Int, error) {
	out, err := forwarderFactory.abi.Unpack("GAS_PER_TOKEN", data)
	if err != nil {
		return new(big.Int), err
	}
	out0 := abi.ConvertType(out[0], new(big.Int)).(*big.Int)
	return out0, nil
}

// PackForwarderAddress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x19e8131e.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function forwarderAddress(address settlement, bytes32 salt) view returns(address)
func (forwarderFactory *ForwarderFactory) PackForwarderAddress(settlement common.Address, salt [32]byte) []byte {
	enc, err := forwarderFactory.abi.Pack("forwarderAddress", settlement, salt)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackForwarderAddress is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x19e8131e.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function forwarderAddress(address settlement, bytes32 salt) view returns(address)
func (forwarderFactory *ForwarderFactory) TryPackForwarderAddress(settlement common.Address, salt [32]byte) ([]byte, error) {
	return forwarderFactory.abi.Pack("forwarderAddress", settlement, salt)
}

// UnpackForwarderAddress is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x19e8131e.
//
// Solidity: function forwarderAddress(address settlement, bytes32 salt) view returns(address)
func (forwarderFactory *ForwarderFactory) UnpackForwarderAddress(data []byte) (common.Address, error) {
	out, err := forwarderFactory.abi.Unpack("forwarderAddress", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackImplementation is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c60da1b.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function implementation() view returns(address)
func (forwarderFactory *ForwarderFactory) PackImplementation() []byte {
	enc, err := forwarderFactory.abi.Pack("implementation")
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackImplementation is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x5c60da1b.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function implementation() view returns(address)
func (forwarderFactory *ForwarderFactory) TryPackImplementation() ([]byte, error) {
	return forwarderFactory.abi.Pack("implementation")
}

// UnpackImplementation is the Go binding that unpacks the parameters returned
// from invoking the contract method with ID 0x5c60da1b.
//
// Solidity: function implementation() view returns(address)
func (forwarderFactory *ForwarderFactory) UnpackImplementation(data []byte) (common.Address, error) {
	out, err := forwarderFactory.abi.Unpack("implementation", data)
	if err != nil {
		return *new(common.Address), err
	}
	out0 := *abi.ConvertType(out[0], new(common.Address)).(*common.Address)
	return out0, nil
}

// PackSweep is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x66e7d741.  This method will panic if any
// invalid/nil inputs are passed.
//
// Solidity: function sweep((address,bytes32,address[])[] items) returns()
func (forwarderFactory *ForwarderFactory) PackSweep(items []ForwarderFactoryItem) []byte {
	enc, err := forwarderFactory.abi.Pack("sweep", items)
	if err != nil {
		panic(err)
	}
	return enc
}

// TryPackSweep is the Go binding used to pack the parameters required for calling
// the contract method with ID 0x66e7d741.  This method will return an error
// if any inputs are invalid/nil.
//
// Solidity: function sweep((address,bytes32,address[])[] items) returns()
func (forwarderFactory *ForwarderFactory) TryPackSweep(items []ForwarderFactoryItem) ([]byte, error) {
	return forwarderFactory.abi.Pack("sweep", items)
}

// ForwarderFactoryFlushFailed represents a FlushFailed event raised by the ForwarderFactory contract.
type ForwarderFactoryFlushFailed struct {
	Forwarder common.Address
	Token     common.Address
	Reason    [4]byte
	Raw       *types.Log // Blockchain specific contextual infos
}

const ForwarderFactoryFlushFailedEventName = "FlushFailed"

// ContractEventName returns the user-defined event name.
func (ForwarderFactoryFlushFailed) ContractEventName() string {
	return ForwarderFactoryFlushFailedEventName
}

// UnpackFlushFailedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event FlushFailed(address indexed forwarder, address indexed token, bytes4 reason)
func (forwarderFactory *ForwarderFactory) UnpackFlushFailedEvent(log *types.Log) (*ForwarderFactoryFlushFailed, error) {
	event := "FlushFailed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != forwarderFactory.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ForwarderFactoryFlushFailed)
	if len(log.Data) > 0 {
		if err := forwarderFactory.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range forwarderFactory.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// ForwarderFactoryFlushed represents a Flushed event raised by the ForwarderFactory contract.
type ForwarderFactoryFlushed struct {
	Forwarder common.Address
	Token     common.Address
	Amount    *big.Int
	Raw       *types.Log // Blockchain specific contextual infos
}

const ForwarderFactoryFlushedEventName = "Flushed"

// ContractEventName returns the user-defined event name.
func (ForwarderFactoryFlushed) ContractEventName() string {
	return ForwarderFactoryFlushedEventName
}

// UnpackFlushedEvent is the Go binding that unpacks the event data emitted
// by contract.
//
// Solidity: event Flushed(address indexed forwarder, address indexed token, uint256 amount)
func (forwarderFactory *ForwarderFactory) UnpackFlushedEvent(log *types.Log) (*ForwarderFactoryFlushed, error) {
	event := "Flushed"
	if len(log.Topics) == 0 {
		return nil, bind.ErrNoEventSignature
	}
	if log.Topics[0] != forwarderFactory.abi.Events[event].ID {
		return nil, bind.ErrEventSignatureMismatch
	}
	out := new(ForwarderFactoryFlushed)
	if len(log.Data) > 0 {
		if err := forwarderFactory.abi.UnpackIntoInterface(out, event, log.Data); err != nil {
			return nil, err
		}
	}
	var indexed abi.Arguments
	for _, arg := range forwarderFactory.abi.Events[event].Inputs {
		if arg.Indexed {
			indexed = append(indexed, arg)
		}
	}
	if err := abi.ParseTopics(out, indexed, log.Topics[1:]); err != nil {
		return nil, err
	}
	out.Raw = log
	return out, nil
}

// UnpackError attempts to decode the provided error data using user-defined
// error definitions.
func (forwarderFactory *ForwarderFactory) UnpackError(raw []byte) (any, error) {
	if bytes.Equal(raw[:4], forwarderFactory.abi.Errors["Create2EmptyBytecode"].ID.Bytes()[:4]) {
		return forwarderFactory.UnpackCreate2EmptyBytecodeError(raw[4:])
	}
	if bytes.Equal(raw[:4], forwarderFactory.abi.Errors["FailedDeployment"].ID.Bytes()[:4]) {
		return forwarderFactory.UnpackFailedDeploymentError(raw[4:])
	}
	if bytes.Equal(raw[:4], forwarderFactory.abi.Errors["InsufficientBalance"].ID.Bytes()[:4]) {
		return forwarderFactory.UnpackInsufficientBalanceError(raw[4:])
	}
	if bytes.Equal(raw[:4], forwarderFactory.abi.Errors["OutOfGasForToken"].ID.Bytes()[:4]) {
		return forwarderFactory.UnpackOutOfGasForTokenError(raw[4:])
	}
	if bytes.Equal(raw[:4], forwarderFactory.abi.Errors["ZeroSettlement"].ID.Bytes()[:4]) {
		return forwarderFactory.UnpackZeroSettlementError(raw[4:])
	}
	return nil, errors.New("Unknown error")
}

// ForwarderFactoryCreate2EmptyBytecode represents a Create2EmptyBytecode error raised by the ForwarderFactory contract.
type ForwarderFactoryCreate2EmptyBytecode struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error Create2EmptyBytecode()
func ForwarderFactoryCreate2EmptyBytecodeErrorID() common.Hash {
	return common.HexToHash("0x4ca249dcffe41558ef8b961d71c905e4fa4317a1663f377b9610642e4e0abdb6")
}

// UnpackCreate2EmptyBytecodeError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error Create2EmptyBytecode()
func (forwarderFactory *ForwarderFactory) UnpackCreate2EmptyBytecodeError(raw []byte) (*ForwarderFactoryCreate2EmptyBytecode, error) {
	out := new(ForwarderFactoryCreate2EmptyBytecode)
	if err := forwarderFactory.abi.UnpackIntoInterface(out, "Create2EmptyBytecode", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderFactoryFailedDeployment represents a FailedDeployment error raised by the ForwarderFactory contract.
type ForwarderFactoryFailedDeployment struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error FailedDeployment()
func ForwarderFactoryFailedDeploymentErrorID() common.Hash {
	return common.HexToHash("0xb06ebf3d5067824a3fe5d5ba19471e035a7de6c88dac362c77b162830a5b9093")
}

// UnpackFailedDeploymentError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error FailedDeployment()
func (forwarderFactory *ForwarderFactory) UnpackFailedDeploymentError(raw []byte) (*ForwarderFactoryFailedDeployment, error) {
	out := new(ForwarderFactoryFailedDeployment)
	if err := forwarderFactory.abi.UnpackIntoInterface(out, "FailedDeployment", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderFactoryInsufficientBalance represents a InsufficientBalance error raised by the ForwarderFactory contract.
type ForwarderFactoryInsufficientBalance struct {
	Balance *big.Int
	Needed  *big.Int
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func ForwarderFactoryInsufficientBalanceErrorID() common.Hash {
	return common.HexToHash("0xcf4791818fba6e019216eb4864093b4947f674afada5d305e57d598b641dad1d")
}

// UnpackInsufficientBalanceError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error InsufficientBalance(uint256 balance, uint256 needed)
func (forwarderFactory *ForwarderFactory) UnpackInsufficientBalanceError(raw []byte) (*ForwarderFactoryInsufficientBalance, error) {
	out := new(ForwarderFactoryInsufficientBalance)
	if err := forwarderFactory.abi.UnpackIntoInterface(out, "InsufficientBalance", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderFactoryOutOfGasForToken represents a OutOfGasForToken error raised by the ForwarderFactory contract.
type ForwarderFactoryOutOfGasForToken struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error OutOfGasForToken()
func ForwarderFactoryOutOfGasForTokenErrorID() common.Hash {
	return common.HexToHash("0x3df3ee348f566850f2c446f506dc6f2c40ac76c0abd128d6f5ff9b7ed5a89f69")
}

// UnpackOutOfGasForTokenError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error OutOfGasForToken()
func (forwarderFactory *ForwarderFactory) UnpackOutOfGasForTokenError(raw []byte) (*ForwarderFactoryOutOfGasForToken, error) {
	out := new(ForwarderFactoryOutOfGasForToken)
	if err := forwarderFactory.abi.UnpackIntoInterface(out, "OutOfGasForToken", raw); err != nil {
		return nil, err
	}
	return out, nil
}

// ForwarderFactoryZeroSettlement represents a ZeroSettlement error raised by the ForwarderFactory contract.
type ForwarderFactoryZeroSettlement struct {
}

// ErrorID returns the hash of canonical representation of the error's signature.
//
// Solidity: error ZeroSettlement()
func ForwarderFactoryZeroSettlementErrorID() common.Hash {
	return common.HexToHash("0xf00c951d86128ec04060103e3bafa1023d8f31cf6b971bf026d5cb2407bbc9c1")
}

// UnpackZeroSettlementError is the Go binding used to decode the provided
// error data into the corresponding Go error struct.
//
// Solidity: error ZeroSettlement()
func (forwarderFactory *ForwarderFactory) UnpackZeroSettlementError(raw []byte) (*ForwarderFactoryZeroSettlement, error) {
	out := new(ForwarderFactoryZeroSettlement)
	if err := forwarderFactory.abi.UnpackIntoInterface(out, "ZeroSettlement", raw); err != nil {
		return nil, err
	}
	return out, nil
}
