// Package tempfolder makes the folder of a lab that ends with its process.
//
// It lies in memory where there is enough: worlds come and go with dozens of files each, which take a file system on a
// disk four times as long. What a killed process left in memory is removed.
package tempfolder
